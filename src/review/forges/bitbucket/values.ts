import { z } from "zod";
import type { ForgeClient } from "../client.ts";

export const person = z.object({
  nickname: z.string().nullish(),
  display_name: z.string().nullish(),
  uuid: z.string().nullish(),
});
/** Returns the nickname of an account, its display name if it has no nickname, or `deleted account`. */
export const nameOf = (user: z.infer<typeof person> | null | undefined) =>
  user?.nickname ?? user?.display_name ?? "deleted account";

const MAX_PAGES = 500;

/** Reads the pages of a list, at most `MAX_PAGES`. The member `next` is the address of the next page. */
export async function readValues<Item>(
  client: ForgeClient,
  item: z.ZodType<Item>,
  path: string,
  search: Readonly<Record<string, string>> = {},
): Promise<Item[]> {
  const page = z.object({ values: z.array(item), next: z.string().nullish() });
  const items: Item[] = [];
  let next: string | undefined = path;
  for (let count = 0; next !== undefined && count < MAX_PAGES; count += 1) {
    const query: Readonly<Record<string, string | number>> = next === path ? { pagelen: 50, ...search } : {};
    const { values, next: following }: z.infer<typeof page> = await client.json(page, { path: next, query });
    items.push(...values);
    next = following ?? undefined;
  }
  return items;
}
