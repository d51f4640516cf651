import type { Output } from "../../output.ts";
import { table } from "../../table.ts";

/** Prints the members of a key or team as a table or, with `--json`, as the object `{[name]: value}`. Resolves to 0. */
export async function printMembers(
  name: string,
  value: object,
  { json }: { readonly json: boolean },
  output: Output,
): Promise<number> {
  const rows = Object.entries(value).map(([member, each]) => [
    member,
    typeof each === "string" ? each : JSON.stringify(each),
  ]);
  await output.result(json ? JSON.stringify({ [name]: value }, null, 2) : table(["member", "value"], rows));
  return 0;
}
