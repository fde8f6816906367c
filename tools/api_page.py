"""Write `docs/api.md` from the table of operations: python -m tools.api_page."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ui.actions.table import GROUPS

INTRODUCTION = Path(__file__).with_name("api_introduction.md")
PAGE = Path(__file__).parents[1] / "docs/api.md"
_TYPES = {"string": "text", "boolean": "true or false", "integer": "number", "number": "number", "null": "nothing"}


def render_page() -> str:
    """Return the page: the introduction, the operations by topic, and their result types."""
    lines, types = [INTRODUCTION.read_text(encoding="utf-8")], dict[str, Any]()
    for topic, operations in GROUPS.items():
        lines.append(f"## {topic}\n")
        for one in operations:
            arguments, result = one.arguments.model_json_schema(), one.result.json_schema()
            name = result["title"]
            types |= {**arguments.pop("$defs", {}), **result.get("$defs", {}), name: result}
            shown = _describe_type({"$ref": name} if name != "Result" else result["properties"]["result"], types)
            lines.append(f"### {one.name}\n\n{one.description}\n")
            lines.append(f"{one.effect.capitalize()} memory{', streams' if one.streams else ''}. For {one.who}.\n")
            lines += [
                *_render_table(arguments, types),
                f"Result: {shown}{', as `result`' if name == 'Result' else ''}.\n",
            ]
    lines.append("## Results\n")
    for name in sorted(name for name, schema in types.items() if name != "Result" and "properties" in schema):
        lines += [f"### Type {name}\n", types[name].get("description", ""), "", *_render_table(types[name], types)]
    return "\n".join(lines)


def _render_table(schema: Mapping[str, Any], types: Mapping[str, Any]) -> Iterator[str]:
    """Yield a table of an operation's arguments, or of a result's fields."""
    if schema["properties"]:
        yield "| name | type | default | |\n|---|---|---|---|"
        for name, field in schema["properties"].items():
            default = f"`{json.dumps(field['default'])}`" if "default" in field else ""
            description = field.get("description", "").replace("|", "\\|")
            yield f"| `{name}` | {_describe_type(field, types)} | {default} | {description} |"
        yield ""


def _describe_type(schema: Mapping[str, Any], types: Mapping[str, Any]) -> str:
    """Return a type in words."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return _describe_type(types[name], types) if "enum" in types[name] else f"[{name}](#type-{name.lower()})"
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(_describe_type(one, types) for one in schema["anyOf"])
    if schema["type"] == "object":
        of = schema["additionalProperties"]
        return "fields" if of is True else f"{_describe_type(of, types)} by name"
    return f"list of {_describe_type(schema['items'], types)}" if schema["type"] == "array" else _TYPES[schema["type"]]


if __name__ == "__main__":
    PAGE.write_text(render_page(), encoding="utf-8")
