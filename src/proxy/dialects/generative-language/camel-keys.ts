import { isObject, RawJson } from "../../exchange/json.ts";

/**
 * The vendor's JSON takes every member in camelCase and in snake_case (protobuf's JSON mapping,
 * https://protobuf.dev/programming-guides/json/). Only an object's own members are renamed: what lies deeper may be a
 * schema or a tool's arguments, whose names are the client's.
 */
export function camelKeys(value: unknown): unknown {
  if (!isObject(value) || value instanceof RawJson) return value;
  if (!Object.keys(value).some(isSnake)) return value;
  const renamed: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) renamed[isSnake(key) ? camel(key) : key] = member;
  return renamed;
}

function isSnake(key: string): boolean {
  return key.indexOf("_") > 0;
}

function camel(key: string): string {
  return key.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
