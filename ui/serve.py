"""Start the server: compose Gradio's server, the middleware and the page, and listen on host and port."""

import os
import signal
import sys
import threading

import gradio as gr
from gradio.oauth import attach_oauth
from starlette.middleware import Middleware
from starlette.types import ASGIApp

from assistant.errors import SettingsError
from assistant.models.remote.library import reach_loopback_directly
from assistant.settings import Settings
from ui.page.page import PageApp
from ui.programs.api import EVERYONE, OFF, ApiMiddleware, api_routes, choose_access, token_makers
from ui.programs.openai_api import openai_routes
from ui.server.connections import bound_connections
from ui.server.fair_queue import FairQueueMiddleware
from ui.server.identity import LOOPBACK, PERSON, IdentityMiddleware, Visitors, is_loopback
from ui.server.process import freeze_garbage_collector
from ui.server.request_policy import API, HEALTH, ForwardedMiddleware, GuardMiddleware, HealthMiddleware
from ui.server.services import Services
from ui.server.sign_in import LocalTokenMiddleware, SignIn, SignInMiddleware, local_token, sign_in

_FURTHER_THREADS = 128  # beside those that stream answers
_SECONDS_FOR_THE_FIRST_PAGE = 3.0
_SECONDS_OF_A_THREAD = 0.001  # keeps brief requests from waiting for long computations
_SECONDS_BETWEEN_LOOKS = 0.01  # of Gradio's queue, which would poll a thousand times a second


def serve(services: Services, settings: Settings) -> None:
    """Serve the page until the process is stopped, then end the process; models and index load in the background.

    It exits by `os._exit`: library threads, such as the index's, crash while the interpreter shuts down. Everything
    acknowledged is on disk by then.
    """
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # hosts send this before they detach the disk
    # Heavy imports block the interpreter for seconds, so the first page is served before.
    sys.setswitchinterval(_SECONDS_OF_A_THREAD)
    freeze_garbage_collector()
    loading = threading.Timer(_SECONDS_FOR_THE_FIRST_PAGE, services.start)
    loading.daemon = True
    try:
        page = launch(services, settings, quiet=True)
        token = f"?token={local_token(services.visitor_key)}" if _asks_for_token(settings) else ""
        sys.stdout.write(f"Noted is on {str(page.local_url).rstrip('/')}{settings.root_path}/{token}\n")
        sys.stdout.flush()
        loading.start()
        page.block_thread()  # returns at SIGTERM or Ctrl-C, which Gradio catches
    except OSError as error:
        where = f"port {settings.port} of {settings.host}"
        raise SettingsError(
            f"The page cannot be served on {where}: it is taken, or may not be used. Choose another port."
        ) from error
    except (SystemExit, KeyboardInterrupt):
        pass
    finally:
        loading.cancel()
        services.close()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def launch(services: Services, settings: Settings, *, quiet: bool = False) -> gr.Blocks:
    """Start the server and return at once; `close()` of the returned blocks stops it. Raises OSError: port taken."""
    # Gradio would recompute its monitoring table after every event.
    os.environ.setdefault("GRADIO_ANALYTICS_CACHE_FREQUENCY", "1000000000")
    # Uvicorn would trust every loopback peer before `ForwardedMiddleware` checks the configured proxies.
    os.environ["FORWARDED_ALLOW_IPS"] = ""
    bound_connections()
    host, port = address(settings)
    reach_loopback_directly(host)  # Gradio requests the page from itself at launch
    way = sign_in(settings, host, services.visitor_key)
    server = GuardedServer(services, settings, way)
    server.launch(
        server_name=host,
        server_port=port,
        prevent_thread_lock=True,
        quiet=quiet,
        max_threads=services.runs.most + _FURTHER_THREADS,
        max_file_size=1,
        auth=way.passwords.check if way.passwords else None,  # type: ignore[arg-type]  # Gradio awaits it
        run_history=False,
        ssr_mode=False,
        mcp_server=False,
        enable_monitoring=False,
        root_path=settings.root_path,
    )
    blocks = server.get_blocks()
    blocks._queue.sleep_when_free = _SECONDS_BETWEEN_LOOKS
    return blocks


class GuardedServer(gr.Server):
    """Gradio's server with the routes of the page, the operations and the policy middleware around them."""

    def __init__(self, services: Services, settings: Settings, way: SignIn) -> None:
        has_api = choose_access(settings) != OFF
        page = PageApp(services, way, token_makers(settings))
        super().__init__(
            routes=[*page.routes, *((*api_routes(services), *openai_routes(services)) if has_api else ())],
            middleware=_middleware(services, settings, way),
            auth_dependency=lambda request: request.scope.get(PERSON),
            openapi_url=None,
            docs_url=None,
            redoc_url=None,
        )
        self._settings = settings
        self._open_paths = (*way.open_paths, HEALTH, *((API,) if has_api else ()))
        if way.enter:
            attach_oauth(self)

    def build_middleware_stack(self) -> ASGIApp:
        settings = self._settings
        named = frozenset(map(str.lower, settings.names))
        names = LOOPBACK | named if is_loopback(address(settings)[0]) else named or frozenset("*")
        app = super().build_middleware_stack()
        guarded = GuardMiddleware(app, self._open_paths, names=names, origins=named, on_spaces=settings.on_spaces)
        return ForwardedMiddleware(guarded, settings.proxies, settings.root_path)


def address(settings: Settings) -> tuple[str, int | None]:
    """Return host and port for Gradio; None as the port means the first free one from 7860."""
    host = settings.host
    if ":" in host and not host.startswith("["):
        host = f"[{host}]"  # as in a URL
    return host, None if settings.sources.get("port") == "default" else settings.port


def _middleware(services: Services, settings: Settings, way: SignIn) -> list[Middleware]:
    """List the middleware between Gradio's own, which holds OAuth sessions, and its routes, outermost first."""
    visitors = Visitors(services.visitor_key, root_path=settings.root_path)
    anonymous = visitors if choose_access(settings) == EVERYONE else None
    token = [Middleware(LocalTokenMiddleware, token=local_token(services.visitor_key))]
    return [
        Middleware(HealthMiddleware, check=services.store.ledger.check),
        Middleware(SignInMiddleware),
        Middleware(ApiMiddleware, tokens=services.tokens, visitors=anonymous, knows=way.knows),
        *(token if _asks_for_token(settings) else []),
        Middleware(IdentityMiddleware, sources=way.sources, visitors=way.visitors),
        Middleware(FairQueueMiddleware),
    ]


def _asks_for_token(settings: Settings) -> bool:
    """Return True if the page needs the local token: it is switched on, on loopback, and no passwords are set."""
    has_passwords = settings.auth is not None or settings.auth_file is not None
    return settings.local_token and is_loopback(address(settings)[0]) and not has_passwords
