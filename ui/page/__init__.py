"""The page: its layout (`page`), and a folder for each panel, with its Python, template, scripts and style."""
