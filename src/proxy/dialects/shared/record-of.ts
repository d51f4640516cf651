import { z } from "zod";

/**
 * Returns a schema for records of `value` that reports the first invalid member only; `z.record` reports every one.
 */
export function recordOf<Value extends z.ZodType>(value: Value) {
  return z.record(z.string(), z.unknown()).transform((record, context) => {
    const entries: [string, z.output<Value>][] = [];
    for (const [name, member] of Object.entries(record)) {
      const parsed = value.safeParse(member);
      if (!parsed.success) {
        const message = parsed.error.issues[0]?.message ?? "it cannot be read";
        context.addIssue({ code: "custom", message, path: [name] });
        return z.NEVER;
      }
      entries.push([name, parsed.data]);
    }
    return Object.fromEntries(entries);
  });
}
