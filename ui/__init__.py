"""The only folder that imports Gradio: the page, and every other way in. `serve` puts them together."""
