"""A raw connection: everything is sent unchanged."""

import socket
from urllib.parse import urlsplit

# An incomplete request.
HALF = b"POST /page/memory/search HTTP/1.1\r\nHost: 127.0.0.1\r\n"


def connect(url: str, sent: bytes = b"") -> socket.socket:
    address = urlsplit(url)
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)  # unread data stays with the server
    connection.settimeout(10)
    connection.connect((str(address.hostname), address.port or 0))
    connection.sendall(sent)
    return connection
