import { z } from "zod";
import { isObject } from "../../exchange/json.ts";

/**
 * Returns a schema for records whose members match `value`. Unlike `z.record`, it reports only the first invalid
 * member.
 */
export function createRecordSchema<Value extends z.ZodType>(value: Value) {
  return z
    .custom<Readonly<Record<string, unknown>>>(isObject, { error: "Invalid input: expected record" })
    .transform((record, context) => {
      const entries: [string, z.output<Value>][] = [];
      // Unlike `Object.entries`, this loop allocates nothing for the members after the first invalid one.
      for (const name in record) {
        const member = record[name];
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
