"""Messages that are written as text or JSON.

https://protobuf.dev/reference/protobuf/textformat-spec/ and https://protobuf.dev/programming-guides/json/
"""

import base64
import json
import re

from tfcompat._formats.protobuf import table_of

_TOKEN = re.compile(r"""\s+|\#[^\n]*|("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[-+.\w]+|[{}<>:;,\[\]])""", re.DOTALL)


def from_text(kind, text):
    """The message of a class that text holds. Raises ValueError if it holds none."""
    tokens, place = [], 0
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            raise ValueError(f"unexpected {text[place]!r}")
        place = match.end()
        if match.group(1):
            tokens.append(match.group(1))
    result, rest = _message(kind, tokens[::-1], None)
    if rest:
        raise ValueError(f"unexpected {rest[-1]!r}")
    return result


def _message(kind, rest, end):
    """(message, tokens that follow, the last one first)."""
    values, fields = {}, table_of(kind).by_name
    while rest and rest[-1] != end:
        name = rest.pop()
        field = fields.get(name)
        if field is None:
            raise ValueError(f"{kind.NAME} has no field {name!r}")
        if _next(rest) == ":":
            rest.pop()
        if _next(rest) == "[":
            rest.pop()
            while _next(rest) != "]":
                _add(values, field, _value(field, rest))
                if _next(rest) == ",":
                    rest.pop()
            rest.pop()
        else:
            _add(values, field, _value(field, rest))
        if rest and rest[-1] in ",;":
            rest.pop()
    if end is not None:
        _next(rest)
        rest.pop()
    return kind(**values), rest


def _next(rest):
    if not rest:
        raise ValueError("it ends too early")
    return rest[-1]


def _add(values, field, value):
    if field.repeated:
        values.setdefault(field.name, []).append(value)
    elif field.key is not None:
        values.setdefault(field.name, {})[value[0]] = value[1]
    else:
        values[field.name] = value


def _value(field, rest):
    token = _next(rest)
    if field.key is not None:
        rest.pop()
        entry, parts = {"<": ">"}.get(token, "}"), {}
        while _next(rest) != entry:
            part = field.key if rest.pop() == "key" else field.value
            if _next(rest) == ":":
                rest.pop()
            parts[part.name] = _value(part, rest)
        rest.pop()
        return parts.get("key", field.key.default), parts.get("value", field.value.new())
    if field.message is not None:
        rest.pop()
        return _message(field.message, rest, ">" if token == "<" else "}")[0]
    return _scalar(field, rest)


def _scalar(field, rest):
    token = rest.pop()
    if token[0] in "\"'":
        text = token[1:-1]
        while rest and rest[-1][0] in "\"'":
            text += rest.pop()[1:-1]
        data = text.encode().decode("unicode_escape").encode("latin1") if "\\" in text else text.encode()
        return data if field.kind == "bytes" else data.decode()
    if field.kind == "bool":
        return {"true": True, "t": True, "1": True, "false": False, "f": False, "0": False}[token]
    if field.kind in ("float", "double"):
        return float(token.rstrip("fF") if token.lower().lstrip("-+") not in ("inf", "infinity") else token)
    if field.kind == "enum" and not token.lstrip("-").isdigit():
        return {name: number for number, name in field.names.items()}[token]
    return int(token, 0)


def from_json(kind, text):
    """The message of a class that JSON holds. Raises ValueError if it holds none."""
    return _of_json(kind, json.loads(text))


def _of_json(kind, value):
    if not isinstance(value, dict):
        raise ValueError(f"{kind.NAME} is no {type(value).__name__}")
    fields = {}
    for field in table_of(kind).fields:
        words = field.name.split("_")
        fields[field.name] = fields[words[0] + "".join(map(str.title, words[1:]))] = field
    values = {}
    for name, each in value.items():
        field = fields.get(name)
        if field is None:
            raise ValueError(f"no such field: {name!r}")
        if each is None:
            continue
        if field.key is not None:
            values[field.name] = {key: _one_of_json(field, item) for key, item in each.items()}
        elif field.repeated:
            values[field.name] = [_one_of_json(field, item) for item in (each if isinstance(each, list) else [each])]
        else:
            values[field.name] = _one_of_json(field, each)
    return kind(**values)


def _one_of_json(field, value):
    if field.message is not None:
        return _of_json(field.message, value)
    if field.kind == "bytes":
        return base64.b64decode(value.replace("-", "+").replace("_", "/") + "==")
    if field.kind in ("string", "bool"):
        return value
    if field.kind in ("float", "double"):
        return float(value)
    number = float(value) if isinstance(value, float) else int(value)
    if number != int(number):
        raise ValueError(f"{value} is no integer")
    return int(number)
