"""An S3 server for tests (moto's) on a free port. It can be down, hang, and ignore conditions."""

import logging
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import boto3
from moto.core.model_instances import reset_model_data
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import BaseWSGIServer, make_server

BUCKET = "noted"


class ObjectStore:
    """A server whose content survives outages; `url` is a new folder each time."""

    def __init__(self) -> None:
        logging.getLogger("werkzeug").setLevel(logging.ERROR)
        self._moto = DomainDispatcherApplication(create_backend_app)
        self._server: BaseWSGIServer | None = None
        self._port = 0
        self.ignores_conditions = False
        self._answers = threading.Event()
        self._answers.set()

    def start(self) -> None:
        self._server = make_server("127.0.0.1", self._port, self._application, threaded=True)
        self._port = self._server.port
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def stop(self) -> None:
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    @contextmanager
    def refusing(self) -> Iterator[None]:
        """Refuse connections until the end of the block."""
        self.stop()
        try:
            yield
        finally:
            self.start()

    @contextmanager
    def hanging(self) -> Iterator[None]:
        """Accept requests without answering until the end of the block."""
        self._answers.clear()
        try:
            yield
        finally:
            self._answers.set()

    @property
    def environment(self) -> dict[str, str]:
        return {
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{self._port}",
            "AWS_ALLOW_HTTP": "true",
            "AWS_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": "key",
            "AWS_SECRET_ACCESS_KEY": "secret",
        }

    def client(self) -> Any:
        """Return an independent client to inspect the content."""
        return boto3.client(
            "s3",
            endpoint_url=self.environment["AWS_ENDPOINT_URL"],
            region_name="us-east-1",
            aws_access_key_id="key",
            aws_secret_access_key="secret",
        )

    def _application(self, environment: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        self._answers.wait()
        if self.ignores_conditions:
            environment.pop("HTTP_IF_NONE_MATCH", None)
        answer: Iterable[bytes] = self._moto(environment, start_response)
        return answer


@contextmanager
def running_object_store() -> Iterator[ObjectStore]:
    store = ObjectStore()
    store.start()
    store.client().create_bucket(Bucket=BUCKET)
    try:
        yield store
    finally:
        store.stop()
        reset_model_data()
