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
            arguments, result = one.arguments.model_json_schema(), one.result.json_schema(mode="serialization")
            name = result["title"]
            types |= {**arguments.pop("$defs", {}), **result.get("$defs", {}), name: result}
            own = {"$ref": name} if name != "Result" else result["properties"][one.name_of_result]
            lines.append(f"### {one.name}\n\n{one.description}\n")
            lines.append(f"{one.effect.capitalize()} memory{', streams' if one.streams else ''}. For {one.who}.\n")
            lines += [
                *_render_table(arguments, types, "default"),
                f"Result: {_describe_type(own, types)}{f', as `{one.name_of_result}`' if name == 'Result' else ''}.\n",
            ]
    lines.append("## Results\n")
    for name in sorted(name for name, schema in types.items() if name != "Result" and "properties" in schema):
        lines += [f"### Type {name}\n", types[name].get("description", ""), "", *_render_table(types[name], types)]
    return "\n".join(lines)


def _render_table(schema: Mapping[str, Any], types: Mapping[str, Any], *further: str) -> Iterator[str]:
    """Yield a table of an operation's arguments, or of a result's fields, with `further` keywords of their schemas."""
    if schema["properties"]:
        yield f"| {' | '.join(['name', 'type', *further])} | |\n{'|---' * (len(further) + 3)}|"
        for name, field in schema["properties"].items():
            told = [f"`{json.dumps(field[one])}`" if one in field else "" for one in further]
            description = field.get("description", "").replace("|", "\\|")
            yield f"| {' | '.join([f'`{name}`', _describe_type(field, types), *told, description])} |"
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
