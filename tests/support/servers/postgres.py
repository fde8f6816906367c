"""A real PostgreSQL for tests, from the system's package, on a free port and in its own folder."""

import itertools
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

_SECONDS = 60
_PACKAGE = "/usr/lib/postgresql"  # Debian's folder with all versions
_USER = "postgres"
_SETTINGS = (
    "listen_addresses=127.0.0.1",
    "unix_socket_directories=",
    "max_connections=200",
    "fsync=off",  # tests kill the server, not the machine
)


class Postgres:
    """A server; `url` makes a separate schema for each test."""

    def __init__(self, folder: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self._port = free.getsockname()[1]
        self._data = folder / "data"
        self._numbers = itertools.count(1)
        self._process: subprocess.Popen[bytes] | None = None
        options = ("--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync", "--username", _USER)
        command = [_program("initdb"), "--pgdata", str(self._data), *options]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd="/", user=_owner(), group=_owner())

    def start(self, *settings: str) -> None:
        """Start the server, with further settings such as `fsync=on`."""
        command = [_program("postgres"), "-D", str(self._data), "-p", str(self._port)]
        command += [word for setting in (*_SETTINGS, *settings) for word in ("-c", setting)]
        self._process = subprocess.Popen(command, stderr=subprocess.DEVNULL, cwd="/", user=_owner(), group=_owner())
        deadline = time.monotonic() + _SECONDS
        while True:
            try:
                psycopg.connect(self._address()).close()
                return
            except psycopg.OperationalError:
                assert self._process.poll() is None, "PostgreSQL ended"
                assert time.monotonic() < deadline, "PostgreSQL did not start"
                time.sleep(0.02)

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """Stop the server. SIGINT rolls back and exits, SIGQUIT exits as in a crash."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(_SECONDS)

    def url(self) -> str:
        schema = f"s{next(self._numbers)}"
        self.run(f"CREATE SCHEMA {schema}")
        return f"{self._address().replace('://', '+psycopg://')}?options=-csearch_path%3D{schema}"

    def run(self, statement: str) -> list[tuple[object, ...]]:
        """Execute a statement on its own connection, and return the rows."""
        with psycopg.connect(self._address(), autocommit=True) as connection:
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []

    def files_with(self, text: str) -> list[Path]:
        """Return the table files that contain a text."""
        self.run("CHECKPOINT")
        wanted = text.encode()
        return [path for path in (self._data / "base").glob("*/*") if wanted in path.read_bytes()]

    def _address(self) -> str:
        return f"postgresql://{_USER}@127.0.0.1:{self._port}/postgres"


@contextmanager
def running_postgres() -> Iterator[Postgres]:
    """Yield a server, with its folder where PostgreSQL's user may reach it."""
    folder = Path(tempfile.mkdtemp(prefix="noted-postgres-"))
    if owner := _owner():
        shutil.chown(folder, owner)
    server = Postgres(folder)
    try:
        server.start()
        yield server
    finally:
        server.stop(signal.SIGQUIT)
        shutil.rmtree(folder)


def _program(name: str) -> str:
    versions = sorted(Path(_PACKAGE).glob(f"*/bin/{name}"), key=lambda path: int(path.parts[-3]))
    found = shutil.which(name) or (str(versions[-1]) if versions else None)
    assert found, f'{name} is not there; install the system\'s package "postgresql".'
    return found


def _owner() -> str | None:
    """Return the user to run PostgreSQL as instead of root; None if not needed."""
    return _USER if os.geteuid() == 0 else None
