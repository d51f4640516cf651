import { AppError } from "../../../errors.ts";

/** Returns a member of an object that an upstream sent if the member is a finite number; otherwise undefined. */
export function getNumber(holder: unknown, name: string): number | undefined {
  const value = getMember(holder, name);
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** Returns a member of an object that an upstream sent; `name` must not be a member of `Object.prototype`. */
export function getMember(holder: unknown, name: string): unknown {
  if (typeof holder !== "object" || holder === null) return undefined;
  return (holder as Readonly<Record<string, unknown>>)[name];
}

const MAX_PAGE_SIZE = 1000;

/** Parses the page size of a model list, capped at 1000. Throws `validation` unless it is a positive integer. */
export function readPageSize(value: unknown, defaultSize: number): number {
  if (value === undefined) return defaultSize;
  const size = Number(value);
  if (!Number.isInteger(size) || size < 1)
    throw new AppError("validation", "The page size must be a positive integer");
  return Math.min(size, MAX_PAGE_SIZE);
}
