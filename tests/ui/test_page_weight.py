"""What a browser loads to show the page: little, and nothing from elsewhere."""

from __future__ import annotations

from playwright.sync_api import Response

from tests.ui.windows import Windows

MOST = 400_000
"""Bytes as they are sent."""


def test_the_page_is_light_and_loads_nothing_from_elsewhere(windows: Windows, embedded_url: str) -> None:
    with windows.lend(new=True, extra_http_headers={"X-Forwarded-For": "192.0.2.1"}) as context:
        page = context.new_page()
        answered: list[Response] = []
        page.on("response", lambda response: answered.append(response))  # noqa: PLW0108  it marks functions
        page.goto(embedded_url)
        page.get_by_role("textbox", name="Your message").wait_for()
        page.get_by_role("tab", name="Memory").click()
        page.get_by_text("Nothing is remembered yet.").wait_for()
        addresses = [response.url for response in answered]
        assert [url for url in addresses if not url.startswith((embedded_url.rstrip("/"), "data:", "blob:"))] == []
        sizes = page.evaluate(
            "() => [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]"
            ".map(({ name, transferSize }) => [transferSize, name])"
        )
        assert len(sizes) > 20
        total = sum(size for size, _ in sizes)
        print(f"{total:,} bytes in {len(sizes)} requests")
    assert total <= MOST, sorted(sizes, reverse=True)[:8]
