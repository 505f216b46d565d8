"""Judges what goes to and comes from the fake by GitHub's own description of its interface.

GitHub passes over keys that it does not know; here they are faults: a misspelt key does nothing.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.parse import quote

from openapi_core import Config, OpenAPI
from openapi_core.datatypes import RequestParameters
from openapi_core.exceptions import OpenAPIError
from openapi_schema_validator import OAS30ReadValidator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT4
from werkzeug.datastructures import Headers, ImmutableMultiDict

from tests.bot.fake_github.calls import Answer, Call
from tests.bot.fake_github.description import Json, resolved, rest

_HERE = "urn:github"
_JSON = "application/json"
_REFUSALS = 400


@dataclass
class Judge:
    """Gathers what is not as GitHub describes it."""

    problems: list[str] = field(default_factory=list)

    def request(self, call: Call) -> None:
        """Judge a request; GraphQL is judged where it is answered."""
        if call.path == "/graphql":
            return
        text = json.dumps(call.body) if call.body else ""
        self.problems += _faults(call.method, call.path, tuple(sorted(call.query.items())), text)

    def response(self, call: Call, answer: Answer) -> None:
        """Judge an answer of the fake."""
        template = template_of(call.path)
        if template is None or answer.status >= _REFUSALS or answer.body is None:
            return
        known = rest()["paths"][template][call.method.lower()]["responses"]
        if str(answer.status) not in known:
            self.problems.append(f"{call.method} {template} never answers {answer.status}")
            return
        schema = resolved(known[str(answer.status)])["content"][_JSON]["schema"]
        place = f"{call.method} {template} answers"
        self.problems += [f"{place} {it}" for it in faults(schema, answer.body)]
        self.problems += [f"{place} {it}, unknown" for it in unknown(schema, answer.body)]

    def delivery(self, name: str, payload: Json) -> None:
        """Judge a payload of a webhook; `name` is as pull-request-opened."""
        known = rest()["x-webhooks"]
        if name not in known:
            self.problems.append(f"nobody has looked what a delivery of {name} is like")
            return
        self.problems += [f"{name} has {it}" for it in faults(known[name]["schema"], payload)]


def faults(schema: Json, value: Any) -> list[str]:
    """What is wrong with a value."""
    found = _validator(json.dumps(schema)).iter_errors(value)
    return [f"{item.json_path}: {item.message}" for item in found]


@cache
def _validator(schema: str) -> Any:
    """What checks values by a schema, which may refer to the whole description."""
    whole = Resource.from_contents(rest(), default_specification=DRAFT4)
    registry: Any = Registry().with_resource(_HERE, whole)
    text = schema.replace('"$ref": "#/', f'"$ref": "{_HERE}#/')
    return OAS30ReadValidator(json.loads(text), registry=registry)


def unknown(schema: Json, value: Any, place: str = "$") -> Iterator[str]:
    """The keys of a value that the description does not have."""
    schema = resolved(schema)
    parts = [resolved(part) for key in ("allOf", "anyOf", "oneOf") for part in schema.get(key, ())]
    if isinstance(value, list):
        for item in value:
            yield from unknown(schema.get("items", {}), item, f"{place}[]")
    if not isinstance(value, dict):
        return
    known: Json = {}
    for part in (schema, *parts):
        known |= part.get("properties", {})
    is_free = not known or any(part.get("additionalProperties") for part in (schema, *parts))
    for key, inside in value.items():
        if key in known:
            yield from unknown(known[key], inside, f"{place}.{key}")
        elif not is_free:
            yield f"{place}.{key}"


@cache
def template_of(path: str) -> str | None:
    """The address in the description that a path is an instance of; the most literal one."""
    found = [
        template
        for template in rest()["paths"]
        if re.fullmatch(re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(template)), _whole(path))
    ]
    return min(found, key=lambda template: template.count("{"), default=None)


def _whole(path: str) -> str:
    """A path in which that of a file is one piece."""
    before, contents, file = path.partition("/contents/")
    return before + contents + quote(file, safe="")


@cache
def _openapi() -> OpenAPI:
    return OpenAPI.from_dict(rest(), config=Config(spec_validator_cls=None))


@dataclass
class _Request:
    """A request in the form in which openapi-core takes it."""

    method: str
    path: str
    parameters: RequestParameters
    body: bytes | None
    host_url: str = "https://github.example"
    content_type: str = _JSON

    @property
    def full_url_pattern(self) -> str:
        """The whole address."""
        return self.host_url + self.path


@cache
def _faults(
    method: str, path: str, query: tuple[tuple[str, str], ...], text: str
) -> tuple[str, ...]:
    """What is wrong with a request."""
    template = template_of(path)
    operation = rest()["paths"].get(template, {}).get(method.lower())
    if operation is None:
        return (f"{method} {path}: there is nothing like this",)
    place = f"{method} {template} is sent"
    found = []
    parameters = RequestParameters(query=ImmutableMultiDict(query), header=Headers())
    request = _Request(method.lower(), _whole(path), parameters, text.encode() or None)
    try:
        _openapi().validate_request(request)
    except OpenAPIError as error:
        found.append(f"{place} {error}: {error.__cause__}")
    names = {resolved(item)["name"] for item in operation.get("parameters", ())}
    found += [f"{place} ?{key}, unknown" for key, _ in query if key not in names]
    if text:
        schema = operation.get("requestBody", {}).get("content", {}).get(_JSON, {}).get("schema")
        if schema is None:
            found.append(f"{place} a body, and takes none")
        else:
            found += [f"{place} {it}, unknown" for it in unknown(schema, json.loads(text))]
    return tuple(found)
