"""A field of several kinds of work, of which pydantic learns one when such work comes: all of them take a while."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Annotated, Any, Union

from pydantic import BaseModel, Field, GetCoreSchemaHandler, GetJsonSchemaHandler, TypeAdapter
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, SchemaValidator, core_schema


class OfItsKind:
    """Checks by the field ``kind``, as a discriminated union does and with the same faults; stands in Annotated."""

    def __init__(self, kinds: Callable[[], Mapping[str, type[BaseModel]]], class_of: Callable[[str], Any]) -> None:
        """*kinds* names all of them, *class_of* gives the class of one."""
        self._kinds = kinds
        self._class_of = class_of
        self._one_kind = cache(self._validator_of)
        self._any_kind = cache(self._union)

    def __get_pydantic_core_schema__(self, _source: Any, _handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self._checked)

    def __get_pydantic_json_schema__(self, _core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return handler(self._any_kind().core_schema)

    def _checked(self, given: Any) -> Any:
        kind = given.get("kind") if isinstance(given, Mapping) else getattr(given, "kind", None)
        known = isinstance(kind, str) and kind in self._kinds()
        return (self._one_kind(kind) if known else self._any_kind().validator).validate_python(given)

    def _validator_of(self, kind: str) -> SchemaValidator:
        model = self._class_of(kind)
        model.model_rebuild()
        return SchemaValidator(
            core_schema.tagged_union_schema(
                {kind: model.__pydantic_core_schema__}, discriminator="kind", from_attributes=True
            )
        )

    def _union(self) -> TypeAdapter[Any]:
        every = tuple(self._class_of(kind) for kind in self._kinds())
        return TypeAdapter(Annotated[Union[every], Field(discriminator="kind")])  # type: ignore[arg-type]  # noqa: UP007  (of classes that are known now)
