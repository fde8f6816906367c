"""The page as a document: equal for all users, complete, and cached."""

import gzip
import re
from urllib.parse import urljoin

import httpx2
import pytest

from tests.support.people.page_client import PageClient
from ui.actions.table import FOR_PROGRAMS
from ui.words.texts import languages, texts

VISITOR = {"X-Forwarded-For": "192.0.2.1"}
LOADS = re.compile(r'(?:href|src)="(?!data:)([^"]+)"')
IMPORTS = re.compile(r'\b(?:from|import) "(\.[^"]+)"')


def page(url: str, **headers: str) -> PageClient:
    client = PageClient(url, VISITOR | {name.replace("_", "-"): value for name, value in headers.items()}).open()
    client.close()
    return client


def test_page_names_no_address_and_has_no_markup_in_data(embedded_url: str) -> None:
    plain = page(embedded_url).page
    assert plain == page(embedded_url, Host="noted.test").page
    assert plain == page(embedded_url, X_Forwarded_Host="other.test", X_Forwarded_Proto="https").page
    assert not [loaded for loaded in LOADS.findall(plain) if not loaded.startswith("static/")]
    _, data = plain.split('id="noted-data">')
    assert "<" not in data.split("</script>")[0]
    assert re.search("<script(?![^>]* (src|type=.application/json))", plain) is None
    assert " on" not in re.sub("<script.*?</script>", "", plain, flags=re.DOTALL)
    assert "style=" not in plain.partition("<script")[0]


@pytest.mark.parametrize("language", languages())
def test_page_is_in_each_language(embedded_url: str, language: str) -> None:
    found = page(embedded_url, Cookie=f"noted_language={language}")
    assert f'<html lang="{language}">' in found.page
    assert (found.told["language"], found.told["words"]) == (language, texts(language))


def test_files_are_kept_for_good(embedded_url: str) -> None:
    found = page(embedded_url)
    loads = LOADS.findall(found.page)
    version = loads[0].split("/")[1]
    wanted = [*loads, *(f"static/{version}/{name}/{name}.js" for name in found.told["panels"])]
    seen: set[str] = set()
    with httpx2.Client(base_url=embedded_url, headers=VISITOR) as http:
        while wanted:
            name = wanted.pop()
            if name in seen:
                continue
            seen.add(name)
            answer = http.get(name)
            assert (answer.status_code, answer.headers["x-content-type-options"]) == (200, "nosniff"), name
            assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
            kind = "text/javascript" if name.endswith(".js") else "text/css"
            assert answer.headers["content-type"].startswith(kind), name
            wanted += [urljoin(name, other) for other in IMPORTS.findall(answer.text)]
        for other in ("static/000000000000/page.js", f"static/{version}/none.js", f"static/{version}/page.html"):
            assert (http.get(other).status_code, http.get(other).headers.get("cache-control")) == (404, None)
        assert http.get("/").headers["cache-control"] == "no-cache"
    assert len(seen) > len(found.told["panels"])


def test_files_are_compressed_for_whoever_takes_that(embedded_url: str) -> None:
    for path in ("/", LOADS.findall(page(embedded_url).page)[1]):
        with httpx2.Client(base_url=embedded_url, headers=VISITOR) as http:
            plain = http.get(path, headers={"Accept-Encoding": "identity"})
            with http.stream("GET", path, headers={"Accept-Encoding": "gzip"}) as sent:
                packed = b"".join(sent.iter_raw())
        assert "content-encoding" not in plain.headers
        assert sent.headers["content-encoding"] == "gzip"
        assert gzip.decompress(packed) == plain.content


def test_address_of_the_api_leads_to_its_description(embedded_url: str) -> None:
    answer = httpx2.get(f"{embedded_url}?__theme=dark&view=api", headers=VISITOR, follow_redirects=True)
    assert (answer.status_code, str(answer.url)) == (200, f"{embedded_url}llms.txt")
    assert answer.headers["content-type"].startswith("text/plain")
    assert set(re.findall(r"^- `(\w+)\(", answer.text, re.MULTILINE)) == set(FOR_PROGRAMS)
    assert httpx2.get(f"{embedded_url}?view=memory", headers=VISITOR).text == page(embedded_url).page
