// Prints a model of the CLI package's type files as JSON: names and structure, no prose.
//
// Run from the folder that holds `node_modules`, because the compiler and the types that the
// package refers to are looked up there:  node dump.mjs > model.json
//
// Walking the syntax keeps the names and the order that the authors chose; the checker is asked
// only where syntax is not enough (intersections, generics, mapped and inferred types).

import { createRequire } from "node:module";
import path from "node:path";
import process from "node:process";

const root = process.cwd();
const require = createRequire(path.join(root, "package.json"));
const ts = require("typescript");
const { SyntaxKind: Kind, TypeFlags: Flag, SymbolFlags } = ts;

const packageFolder = path.join(root, "node_modules/@anthropic-ai/claude-agent-sdk");
const sdkPath = path.join(packageFolder, "sdk.d.ts");
const toolsPath = path.join(packageFolder, "sdk-tools.d.ts");
const packageVersion = require(path.join(packageFolder, "package.json")).version;

// Requests that the CLI sends to us. The type file has one union for both directions and says
// the direction in prose only, so this list is ours; everything else in the union goes to the CLI.
const FROM_CLI = new Set(["can_use_tool", "hook_callback", "mcp_message", "elicitation", "request_user_dialog"]);
// Of those, the ones that also travel the other way.
const BOTH_WAYS = new Set(["mcp_message"]);
const MAX_DEPTH = 14;

const program = ts.createProgram([sdkPath, toolsPath], {
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  types: [],
});
const checker = program.getTypeChecker();
const sdkSource = program.getSourceFile(sdkPath);
const toolsSource = program.getSourceFile(toolsPath);

const definitions = new Map(); // key -> type
const keyOfSymbol = new Map();
const symbolOfKey = new Map();

/** Declarations at the top level of a file, by name. */
function topLevel(source) {
  const found = new Map();
  for (const statement of source.statements) {
    if (ts.isTypeAliasDeclaration(statement) || ts.isInterfaceDeclaration(statement)) {
      found.set(statement.name.text, statement);
    }
  }
  return found;
}
const sdk = topLevel(sdkSource);
const tools = topLevel(toolsSource);

function prefixOf(fileName) {
  if (fileName === sdkPath) return "";
  if (fileName === toolsPath) return "tools.";
  if (fileName.includes("@anthropic-ai/sdk/")) return "api.";
  if (fileName.includes("@modelcontextprotocol/")) return "mcp.";
  return "ext.";
}

function keyFor(symbol, declaration) {
  const known = keyOfSymbol.get(symbol);
  if (known) return known;
  const base = prefixOf(declaration.getSourceFile().fileName) + symbol.name;
  let key = base;
  for (let n = 2; symbolOfKey.has(key); n += 1) key = `${base}_${n}`;
  keyOfSymbol.set(symbol, key);
  symbolOfKey.set(key, symbol);
  return key;
}

const isPackageFile = (fileName) =>
  fileName === sdkPath ||
  fileName === toolsPath ||
  fileName.includes("@anthropic-ai/sdk/") ||
  fileName.includes("@modelcontextprotocol/");

/** A reference to a named type; its definition is written once and may refer back to itself. */
function reference(symbol) {
  const declaration = symbol.declarations?.find(
    (d) => ts.isTypeAliasDeclaration(d) || ts.isInterfaceDeclaration(d),
  );
  if (!declaration || declaration.typeParameters?.length) return undefined;
  if (!isPackageFile(declaration.getSourceFile().fileName)) return undefined;
  const key = keyFor(symbol, declaration);
  if (!definitions.has(key)) {
    definitions.set(key, { kind: "opaque" });
    const model = ts.isInterfaceDeclaration(declaration)
      ? fromType(checker.getDeclaredTypeOfSymbol(symbol), 0, symbol)
      : fromNode(declaration.type, 0, symbol);
    definitions.set(key, model);
  }
  const model = definitions.get(key);
  // An alias of a plain scalar says nothing that the scalar does not.
  if (["string", "number", "boolean"].includes(model.kind)) return { ...model };
  return { kind: "ref", to: key };
}

function resolveSymbol(node) {
  let symbol = checker.getSymbolAtLocation(node);
  while (symbol && symbol.flags & SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol);
  return symbol;
}

const isNull = (m) => m.kind === "null";
const isUndefined = (m) => m.kind === "undefined";

/** Joins alternatives: literals into one set, null into a flag, the rest into a union. */
function unite(parts) {
  const flat = parts.flatMap((p) => (p.kind === "union" && !p.nullable ? p.of : [p]));
  const nullable = flat.some((p) => isNull(p) || p.nullable);
  const literals = [];
  const others = [];
  for (const part of flat) {
    if (isNull(part) || isUndefined(part)) continue;
    const { nullable: _dropped, ...plain } = part;
    if (plain.kind === "literal") literals.push(...plain.values);
    else if (!others.some((o) => JSON.stringify(o) === JSON.stringify(plain))) others.push(plain);
  }
  const values = [...new Set(literals)];
  if (values.includes(true) && values.includes(false) && values.length === 2) {
    values.length = 0;
    others.push({ kind: "boolean" });
  }
  if (values.length) others.unshift({ kind: "literal", values });
  if (others.length === 0) return { kind: nullable ? "null" : "never" };
  const model = others.length === 1 ? others[0] : { kind: "union", of: others };
  return nullable ? { ...model, nullable: true } : model;
}

/** `defining` is the named type whose definition this is, lest it become a reference to itself. */
function fromNode(node, depth, defining) {
  if (depth > MAX_DEPTH) return { kind: "opaque" };
  switch (node.kind) {
    case Kind.StringKeyword:
    case Kind.TemplateLiteralType:
      return { kind: "string" };
    case Kind.NumberKeyword:
      return { kind: "number" };
    case Kind.BooleanKeyword:
      return { kind: "boolean" };
    case Kind.UnknownKeyword:
    case Kind.AnyKeyword:
    case Kind.ObjectKeyword:
      return { kind: "opaque" };
    case Kind.UndefinedKeyword:
    case Kind.VoidKeyword:
      return { kind: "undefined" };
    case Kind.FunctionType:
      return { kind: "function" };
    case Kind.ParenthesizedType:
      return fromNode(node.type, depth);
    case Kind.UnionType:
      return unite(node.types.map((t) => fromNode(t, depth + 1)));
    case Kind.ArrayType:
      return { kind: "array", of: fromNode(node.elementType, depth + 1) };
    case Kind.TupleType:
      return sequence(node.elements.map((t) => fromNode(ts.isNamedTupleMember(t) ? t.type : t, depth + 1)));
    case Kind.TypeOperator:
      if (node.operator === Kind.ReadonlyKeyword) return fromNode(node.type, depth);
      return fromType(checker.getTypeFromTypeNode(node), depth, defining);
    case Kind.TypeReference: {
      // Comes from Node's own types, which are not installed.
      if (node.typeName.getText() === "UUID") return { kind: "string" };
      const symbol = resolveSymbol(node.typeName);
      if (symbol && symbol.name === "Array" && node.typeArguments?.length === 1) {
        return { kind: "array", of: fromNode(node.typeArguments[0], depth + 1) };
      }
      if (symbol && symbol.name === "Record" && node.typeArguments?.length === 2) {
        return record(node.typeArguments[0], node.typeArguments[1], depth);
      }
      if (symbol && !node.typeArguments) {
        const named = reference(symbol);
        if (named) return named;
      }
      return fromType(checker.getTypeFromTypeNode(node), depth, defining);
    }
    default:
      return fromType(checker.getTypeFromTypeNode(node), depth, defining);
  }
}

/** A tuple; one whose places all look the same is how a schema spells a length limit, so an array. */
function sequence(of) {
  const first = JSON.stringify(of[0]);
  return of.length > 0 && of.every((m) => JSON.stringify(m) === first)
    ? { kind: "array", of: of[0] }
    : { kind: "tuple", of };
}

function record(keyNode, valueNode, depth) {
  const model = { kind: "record", of: fromNode(valueNode, depth + 1) };
  const keys = literalValues(checker.getTypeFromTypeNode(keyNode));
  return keys ? { ...model, keys } : model;
}

function literalValues(type) {
  const parts = type.isUnion() ? type.types : [type];
  return parts.every((p) => p.isStringLiteral()) ? parts.map((p) => p.value) : undefined;
}

function fromType(type, depth, defining) {
  if (depth > MAX_DEPTH) return { kind: "opaque" };
  const flags = type.flags;
  if (flags & (Flag.Any | Flag.Unknown | Flag.NonPrimitive)) return { kind: "opaque" };
  if (flags & Flag.Null) return { kind: "null" };
  if (flags & (Flag.Undefined | Flag.Void)) return { kind: "undefined" };
  if (flags & Flag.Never) return { kind: "never" };
  if (flags & Flag.StringLiteral || flags & Flag.NumberLiteral) return { kind: "literal", values: [type.value] };
  if (flags & Flag.BooleanLiteral) return { kind: "literal", values: [checker.typeToString(type) === "true"] };
  if (flags & (Flag.String | Flag.TemplateLiteral | Flag.StringMapping)) return { kind: "string" };
  if (flags & (Flag.Number | Flag.BigInt)) return { kind: "number" };
  if (flags & Flag.Boolean) return { kind: "boolean" };
  const symbol = type.aliasSymbol ?? (type.isClassOrInterface?.() ? type.symbol : undefined);
  if (symbol && symbol !== defining && !type.aliasTypeArguments?.length) {
    const named = reference(symbol);
    if (named) return named;
  }
  // `string & {}` is how authors keep the known names of an open set in sight.
  if (type.isIntersection() && type.types.some((t) => t.flags & Flag.String)) return { kind: "string" };
  if (type.isUnion()) {
    const parts = type.types.map((t) => fromType(t, depth + 1));
    // The checker orders alternatives by when it met them; sort, so that the dump is stable.
    return unite(parts.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)));
  }
  if (checker.isTupleType(type)) {
    return sequence(checker.getTypeArguments(type).map((t) => fromType(t, depth + 1)));
  }
  if (checker.isArrayType(type)) {
    return { kind: "array", of: fromType(checker.getTypeArguments(type)[0], depth + 1) };
  }
  if (type.getCallSignatures().length) return { kind: "function" };
  return object(type, depth);
}

function object(type, depth) {
  const properties = checker.getPropertiesOfType(type);
  const index = checker.getIndexInfoOfType(type, ts.IndexKind.String);
  if (properties.length === 0) {
    if (!index) return { kind: "object", fields: [] };
    return { kind: "record", of: fromType(index.type, depth + 1) };
  }
  const fields = properties.map((p) => field(p, depth));
  const names = fields.map((f) => f.name);
  const model = { kind: "object", fields };
  // Partial<Record<"a" | "b", T>> reads better as a record that lists its keys.
  const first = JSON.stringify({ ...fields[0], name: "" });
  if (fields.length > 8 && fields.every((f) => JSON.stringify({ ...f, name: "" }) === first)) {
    const { name: _n, optional: _o, ...of } = fields[0];
    return { kind: "record", of, keys: names };
  }
  return index ? { ...model, open: true } : model;
}

function field(property, depth) {
  const resolved = checker.getTypeOfSymbol(property);
  let model;
  const declaration = property.valueDeclaration;
  if (property.declarations?.length === 1 && declaration?.type && ts.isPropertySignature(declaration)) {
    const written = checker.getTypeFromTypeNode(declaration.type);
    const a = checker.getNonNullableType(resolved);
    const b = checker.getNonNullableType(written);
    const same = checker.isTypeAssignableTo(a, b) && checker.isTypeAssignableTo(b, a);
    if (same) model = fromNode(declaration.type, depth + 1);
  }
  model ??= fromType(resolved, depth + 1);
  if (isUndefined(model)) model = { kind: "never" };
  model = unite([model]);
  const optional = Boolean(property.flags & SymbolFlags.Optional);
  return optional ? { name: property.name, optional, ...model } : { name: property.name, ...model };
}

// ---- what is dumped -------------------------------------------------------------------------

function declared(table, name) {
  const declaration = table.get(name);
  if (!declaration) throw new Error(`the type file declares no ${name}: the dump script must follow`);
  return checker.getSymbolAtLocation(declaration.name);
}

/** The named members of a union, following members that are unions of names themselves. */
function members(table, name) {
  const declaration = table.get(name);
  if (!declaration) throw new Error(`the type file declares no ${name}: the dump script must follow`);
  const found = [];
  const visit = (node) => {
    if (ts.isUnionTypeNode(node)) return node.types.forEach(visit);
    if (!ts.isTypeReferenceNode(node)) throw new Error(`${name} has a member without a name: ${node.getText()}`);
    const symbol = resolveSymbol(node.typeName);
    const alias = symbol.declarations.find(ts.isTypeAliasDeclaration);
    const inner = alias?.type;
    if (inner && ts.isUnionTypeNode(inner) && inner.types.every(ts.isTypeReferenceNode)) return visit(inner);
    found.push(symbol);
  };
  visit(declaration.type);
  return found;
}

function entry(symbol) {
  const ref = reference(symbol);
  if (!ref) throw new Error(`cannot describe ${symbol.name}`);
  return { name: symbol.name, type: ref };
}

function expand(model) {
  return model.kind === "ref" ? definitions.get(model.to) : model;
}

function literalsOf(model, fieldName) {
  const shape = expand(model);
  if (shape?.kind === "union") return [...new Set(shape.of.flatMap((m) => literalsOf(m, fieldName) ?? []))];
  const found = shape?.fields?.find((f) => f.name === fieldName);
  const literal = found && expand(found);
  return literal?.kind === "literal" ? literal.values : undefined;
}

function discriminated(symbol, names) {
  const made = entry(symbol);
  const discriminators = {};
  for (const name of names) {
    const values = literalsOf(made.type, name);
    if (values?.length) discriminators[name] = values;
  }
  return { name: made.name, discriminators, type: made.type };
}

const messages = members(sdk, "SDKMessage").map((s) => discriminated(s, ["type", "subtype", "isReplay"]));
const messageNames = new Set(messages.map((m) => m.name));
const stdoutExtra = members(sdk, "StdoutMessage")
  .filter((s) => !messageNames.has(s.name))
  .map((s) => discriminated(s, ["type", "subtype"]));

const controlRequests = members(sdk, "SDKControlRequestInner").map((s) => {
  const made = discriminated(s, ["subtype"]);
  if (!made.discriminators.subtype) throw new Error(`${s.name} has no subtype: ${JSON.stringify(expand(made.type))}`);
  const [subtype] = made.discriminators.subtype;
  const direction = FROM_CLI.has(subtype) ? "cli_to_sdk" : "sdk_to_cli";
  const answer = s.name.replace(/Request$/, "Response");
  return {
    name: made.name,
    subtype,
    direction,
    ...(BOTH_WAYS.has(subtype) ? { both_ways: true } : {}),
    ...(sdk.has(answer) ? { response: answer } : {}),
    type: made.type,
  };
});
for (const subtype of FROM_CLI) {
  if (!controlRequests.some((r) => r.subtype === subtype)) throw new Error(`no control request ${subtype} any more`);
}

const byPattern = (table, pattern) => [...table.keys()].filter((n) => pattern.test(n)).sort();
const controlResponses = byPattern(sdk, /^(SDKControl\w+Response|Control(Error)?Response)$/)
  .filter((n) => n !== "SDKControlResponse")
  .map((n) => entry(declared(sdk, n)));

/** What the SDK's own methods promise: several answers are named only there. */
function queryResults() {
  const type = checker.getDeclaredTypeOfSymbol(declared(sdk, "Query"));
  const found = [];
  for (const property of checker.getPropertiesOfType(type)) {
    const declaration = property.valueDeclaration;
    if (!declaration || declaration.getSourceFile() !== sdkSource || !ts.isMethodSignature(declaration)) continue;
    const promised = declaration.type;
    if (!promised || !ts.isTypeReferenceNode(promised) || promised.typeName.getText() !== "Promise") continue;
    const model = fromNode(promised.typeArguments[0], 0);
    if (!isUndefined(model)) found.push({ name: property.name, type: model });
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

const hookInputs = members(sdk, "HookInput").map((s) => {
  const made = discriminated(s, ["hook_event_name"]);
  return { event: made.discriminators.hook_event_name[0], name: made.name, type: made.type };
});
const hooks = {
  inputs: hookInputs,
  outputs: ["SyncHookJSONOutput", "AsyncHookJSONOutput"].map((n) => entry(declared(sdk, n))),
  specific_outputs: byPattern(sdk, /HookSpecificOutput$/).map((n) => {
    const made = discriminated(declared(sdk, n), ["hookEventName"]);
    return { event: made.discriminators.hookEventName?.[0] ?? null, name: made.name, type: made.type };
  }),
};

const permissions = byPattern(sdk, /^Permission(?!.*Hook)/)
  .filter((n) => !sdk.get(n).typeParameters)
  .map((n) => ({ name: n, type: reference(declared(sdk, n)) }));

const toolTypes = {
  inputs: byPattern(tools, /Input$/).map((n) => entry(declared(tools, n))),
  outputs: byPattern(tools, /Output$/).map((n) => entry(declared(tools, n))),
};

const options = checker
  .getPropertiesOfType(checker.getDeclaredTypeOfSymbol(declared(sdk, "Options")))
  .map((p) => p.name)
  .sort();

const model = {
  package_version: packageVersion,
  messages,
  stdout_extra: stdoutExtra,
  control_requests: controlRequests,
  control_responses: controlResponses,
  query_results: queryResults(),
  hooks,
  permissions,
  tools: toolTypes,
  options,
  definitions: Object.fromEntries([...definitions].sort(([a], [b]) => (a < b ? -1 : 1))),
};

/** Values that fit on a line stay on it, so that a change of one field is a change of one line. */
function pretty(value, indent) {
  const short = JSON.stringify(value);
  if (typeof value !== "object" || value === null || short.length + indent.length <= 110) return short;
  const inner = `${indent} `;
  const lines = Array.isArray(value)
    ? value.map((v) => inner + pretty(v, inner))
    : Object.entries(value).map(([k, v]) => `${inner}${JSON.stringify(k)}: ${pretty(v, inner)}`);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  return `${open}\n${lines.join(",\n")}\n${indent}${close}`;
}
process.stdout.write(`${pretty(model, "")}\n`);
