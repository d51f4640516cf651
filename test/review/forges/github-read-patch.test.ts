import { expect, it } from "vitest";
import { createForgeClient } from "../../../src/review/forges/client.ts";
import { readPatch, readPull } from "../../../src/review/forges/github/read-pull.ts";

const OLD = "b".repeat(40);
const NEW = "a".repeat(40);

/** Files by commit and path. */
const CONTENT: Readonly<Record<string, string>> = {
  [`${OLD}/lock.json`]: "one\n",
  [`${NEW}/lock.json`]: "two\n",
  [`${NEW}/logo.png`]: "\x89PNG\0",
  [`${OLD}/run.sh`]: "echo\n",
  [`${NEW}/run.sh`]: "echo\n",
};

const LISTED = [
  { filename: "a.txt", status: "modified", changes: 2, patch: "@@ -1 +1 @@\n-a\n+b" },
  { filename: "lock.json", status: "modified", changes: 2 },
  { filename: "logo.png", status: "added", changes: 0 },
  { filename: "moved.txt", previous_filename: "here.txt", status: "renamed", changes: 0 },
  { filename: "run.sh", status: "changed", changes: 0 },
  { filename: "huge.bin", status: "modified", changes: 0 },
];

const PULL = {
  number: 8,
  html_url: "https://github.com/octo/castle/pull/8",
  title: "Raise",
  state: "open",
  base: { ref: "main", sha: OLD },
  head: { ref: "raise", sha: NEW },
  commits: 251,
  changed_files: 3_412,
};

/** The commit of a repository whose files the token cannot read. */
const SECRET = "c".repeat(40);

const TOO_LARGE = {
  message: "This API returns blobs up to 100 MB in size.",
  errors: [{ resource: "Blob", field: "data", code: "too_large" }],
};

const client = createForgeClient({
  forge: "github",
  host: "github.com",
  base: "https://api.github.com",
  signIn: undefined,
  fetch: async (url) => {
    const { pathname, searchParams } = new URL(String(url));
    if (pathname.endsWith("/pulls/8")) return Response.json(PULL);
    if (pathname.endsWith("/reviews")) return Response.json([]);
    if (pathname.includes("/compare/")) return Response.json({ merge_base_commit: { sha: OLD } });
    if (pathname.endsWith("/pulls/7")) return new Response("{}", { status: 406 });
    if (pathname.endsWith("/files")) return Response.json(LISTED);
    const name = pathname.split("/contents/")[1];
    if (name === "huge.bin") return Response.json(TOO_LARGE, { status: 403 });
    if (searchParams.get("ref") === SECRET)
      return Response.json({ message: "Resource not accessible by personal access token" }, { status: 403 });
    const content = CONTENT[`${searchParams.get("ref")}/${name}`];
    return new Response(content ?? "{}", { status: content === undefined ? 404 : 200 });
  },
});

const ADDRESS = { forge: "github", host: "github.com", repository: "octo/castle", number: 7 } as const;

it("a large pull request of GitHub shows the files for which GitHub returns no patch", async () => {
  const ends = { base: { ref: "main", sha: OLD }, head: { ref: "raise", sha: NEW } };
  const patch = (await readPatch(client, ADDRESS, ends)).toString();
  const [first, lock, logo, moved, script, huge] = patch.split(/^(?=diff --git )/m);
  expect(first).toContain("-a\n+b\n");
  expect(lock).toContain("@@ -1,1 +1,1 @@\n-one\n+two\n");
  expect(logo).toContain("new file mode 100644\n");
  expect(logo).toContain("Binary files /dev/null and b/logo.png differ\n");
  expect(moved).toContain("rename from here.txt\nrename to moved.txt\n");
  expect(script).toBe("diff --git a/run.sh b/run.sh\n");
  expect(huge).toBe("diff --git a/huge.bin b/huge.bin\n");
});

it("a pull request of GitHub names the lists that GitHub cuts", async () => {
  const address = { forge: "github", host: "github.com", repository: "octo/castle", number: 8 } as const;
  expect((await readPull(client, address)).incomplete).toEqual([
    "GitHub lists only 3,000 of the 3,412 changed files: the others are not shown.",
    "GitHub lists only 250 of the 251 commits: the others are not shown.",
  ]);
});

it("a large pull request of GitHub whose files the token cannot read is an error", async () => {
  const ends = { base: { ref: "main", sha: OLD }, head: { ref: "raise", sha: SECRET } };
  await expect(readPatch(client, ADDRESS, ends)).rejects.toMatchObject({ code: "forge_forbidden" });
});
