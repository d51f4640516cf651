// Describes TypeScript types as JSON schemas, with their doc comments as descriptions.
import { readFileSync } from "node:fs";
import { parseSync } from "rolldown/utils";

/**
 * Returns the JSON schemas of the types that files export, by name. References have the form of OpenAPI. Throws an
 * error for a kind of type that it does not know.
 */
export function readTypeSchemas(paths) {
  const types = new Map(paths.flatMap((path) => readTypes(path)).map((type) => [type.name, type]));
  return Object.fromEntries([...types.values()].map((type) => [type.name, describe(type)]));

  function describe({ node, doc, docOf }) {
    const convert = (type) => toSchema(type, { docOf, parameters: readParameters(node) });
    if (node.type === "TSTypeAliasDeclaration") return withDoc(doc, convert(node.typeAnnotation));
    const bases = node.extends.map(({ expression, typeArguments }) =>
      resolve(convert({ type: "TSTypeReference", typeName: expression, typeArguments })),
    );
    return withDoc(
      doc,
      mergeObjects([...bases, convert({ type: "TSTypeLiteral", members: node.body.body })]),
    );
  }

  /** Follows a reference to the schema that it names. */
  function resolve(schema) {
    return schema.$ref === undefined ? schema : describe(types.get(schema.$ref.split("/").at(-1)));
  }

  function toSchema(node, context) {
    const convert = (type) => toSchema(type, context);
    switch (node.type) {
      case "TSStringKeyword":
        return { type: "string" };
      case "TSNumberKeyword":
        return { type: "number" };
      case "TSBooleanKeyword":
        return { type: "boolean" };
      case "TSNullKeyword":
        return { type: "null" };
      case "TSUnknownKeyword":
        return {};
      case "TSLiteralType":
        return { const: node.literal.value };
      case "TSArrayType":
        return { type: "array", items: convert(node.elementType) };
      case "TSTupleType":
        return { type: "array", prefixItems: node.elementTypes.map(convert), items: false };
      case "TSNamedTupleMember":
        return { title: node.label.name, ...convert(node.elementType) };
      case "TSTypeOperator":
      case "TSParenthesizedType":
        return convert(node.typeAnnotation);
      case "TSUnionType":
        return toUnion(node.types, context);
      case "TSIntersectionType":
        return mergeObjects(node.types.map((type) => resolve(convert(type))));
      case "TSTypeLiteral":
        return toObject(node.members, context);
      case "TSIndexedAccessType":
        return resolve(convert(node.objectType)).properties[node.indexType.literal.value];
      case "TSTypeReference":
        return toReference(node, context);
      default:
        throw new Error(`type-schemas.mjs cannot describe a type of the kind ${node.type}`);
    }
  }

  function toUnion(members, context) {
    const schemas = members
      .filter(({ type }) => type !== "TSUndefinedKeyword")
      .map((member) => withDoc(context.docOf(member), toSchema(member, context)));
    if (schemas.length === 1) return schemas[0];
    const isList = schemas.every((schema) => "const" in schema && schema.description === undefined);
    return isList ? { enum: schemas.map((schema) => schema.const) } : { anyOf: schemas };
  }

  function toObject(members, context) {
    const properties = members.map((member) => [
      member.key.name,
      withDoc(context.docOf(member), toSchema(member.typeAnnotation.typeAnnotation, context)),
    ]);
    const required = members.filter(({ optional }) => !optional).map(({ key }) => key.name);
    return { type: "object", properties: Object.fromEntries(properties), ...listRequired(required) };
  }

  function toReference({ typeName: { name }, typeArguments }, context) {
    const [first, second] = (typeArguments?.params ?? []).map((type) => toSchema(type, context));
    if (context.parameters.has(name)) return {};
    if (name === "Readonly") return first;
    if (name === "Record") return { type: "object", additionalProperties: second };
    if (name === "Omit") return selectMembers(resolve(first), (member) => !valuesOf(second).includes(member));
    if (name === "Pick") return selectMembers(resolve(first), (member) => valuesOf(second).includes(member));
    if (name === "Extract") return extract(resolve(first).anyOf, second.properties);
    if (!types.has(name)) throw new Error(`type-schemas.mjs does not know the type ${name}`);
    return { $ref: `#/components/schemas/${name}` };
  }
}

/** Returns the exported types of a file, and a function that returns the doc comment before a node. */
function readTypes(path) {
  const text = readFileSync(path, "utf8");
  const { program, comments, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`Cannot parse ${path}: ${errors[0].message}`);
  const docOf = ({ start }) => {
    // A member of a union follows its comment and a bar.
    const before = text.slice(0, start).replace(/[\s|(]+$/, "").length;
    const comment = comments.find(({ end }) => end === before);
    return comment?.value.startsWith("*")
      ? comment.value
          .replace(/^[ \t]*\*+ ?/gm, "")
          .replace(/\s+/g, " ")
          .trim()
      : undefined;
  };
  return program.body
    .filter(({ declaration }) => declaration)
    .map((statement) => ({
      name: statement.declaration.id.name,
      node: statement.declaration,
      doc: docOf(statement),
      docOf,
    }));
}

function readParameters({ typeParameters }) {
  return new Set(typeParameters?.params.map(({ name }) => name.name));
}

function withDoc(description, schema) {
  return description === undefined ? schema : { description, ...schema };
}

function listRequired(names) {
  return names.length === 0 ? {} : { required: names };
}

function mergeObjects(schemas) {
  const properties = Object.assign({}, ...schemas.map((schema) => schema.properties));
  return {
    type: "object",
    properties,
    ...listRequired([...new Set(schemas.flatMap((schema) => schema.required ?? []))]),
  };
}

function selectMembers({ properties, required = [] }, isSelected) {
  const selected = Object.entries(properties).filter(([name]) => isSelected(name));
  return {
    type: "object",
    properties: Object.fromEntries(selected),
    ...listRequired(required.filter(isSelected)),
  };
}

function valuesOf(schema) {
  return schema.enum ?? [schema.const];
}

/** Returns the members of a union whose properties have only the given values. */
function extract(members, given) {
  const chosen = members.filter(({ properties }) =>
    Object.entries(given).every(([name, schema]) =>
      valuesOf(properties[name]).every((value) => valuesOf(schema).includes(value)),
    ),
  );
  return chosen.length === 1 ? chosen[0] : { anyOf: chosen };
}
