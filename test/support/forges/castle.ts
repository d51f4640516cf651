/** The pull request that all fake forges serve: number 7 of a repository with a wall of stones. */

const wall = (change: (line: string, number: number) => string) =>
  Array.from({ length: 60 }, (_, index) => `${change(`stone ${index + 1}`, index + 1)}\n`).join("");

export const BASE_SHA = "b".repeat(40);
export const HEAD_SHA = "a".repeat(40);

/** Both versions of the files by path. */
export const FILES: Readonly<Record<string, { readonly old?: string; readonly new?: string }>> = {
  "src/wall.txt": {
    old: wall((line) => line),
    new: wall((line, number) => (number === 10 || number === 30 ? `${line}, raised` : line)),
  },
  "docs/größe 大.md": { new: "# Size\n" },
  "gone.txt": { old: "bye\n" },
};

/** The diff in git's format. */
export const PATCH = `diff --git a/docs/größe 大.md b/docs/größe 大.md
new file mode 100644
index 0000000..b2a4d3c
--- /dev/null
+++ b/docs/größe 大.md
@@ -0,0 +1 @@
+# Size
diff --git a/gone.txt b/gone.txt
deleted file mode 100644
index b023018..0000000
--- a/gone.txt
+++ /dev/null
@@ -1 +0,0 @@
-bye
diff --git a/src/wall.txt b/src/wall.txt
index 1111111..2222222 100644
--- a/src/wall.txt
+++ b/src/wall.txt
@@ -7,7 +7,7 @@ stone 6
 stone 7
 stone 8
 stone 9
-stone 10
+stone 10, raised
 stone 11
 stone 12
 stone 13
@@ -27,7 +27,7 @@ stone 26
 stone 27
 stone 28
 stone 29
-stone 30
+stone 30, raised
 stone 31
 stone 32
 stone 33
`;

/** Files that GitLab lists with their hunks. */
export function hunksOf(path: string): string {
  const part = PATCH.split(/^(?=diff --git )/m).find((text) => text.includes(` b/${path}\n`)) ?? "";
  return part.slice(part.indexOf("@@ "));
}

export const PULL = {
  number: 7,
  title: "Raise the wall",
  description: "The wall is **low**.",
  author: "brunel",
  viewer: "ada",
  reviewer: "vauban",
  base: "main",
  head: "raise",
};

export const COMMITS = [
  {
    sha: "c".repeat(40),
    message: "Raise two stones\n\nThe body.",
    author: "Brunel",
    at: "2026-10-01T10:00:00Z",
  },
  { sha: HEAD_SHA, message: "Add words", author: "Brunel", at: "2026-10-01T11:00:00Z" },
];

export interface CastleComment {
  readonly id: number;
  readonly author: string;
  readonly body: string;
  readonly at: string;
}

export interface CastleThread {
  readonly id: number;
  readonly path: string | undefined;
  readonly side: "old" | "new";
  readonly line: number | undefined;
  readonly start: number | undefined;
  resolved: boolean;
  readonly comments: CastleComment[];
}

/** The state of the fakes: the threads of the request, and the verdict of the viewer. */
export class Castle {
  readonly threads: CastleThread[] = [];
  verdict: string | undefined;
  /** Whether the branch has conflicts; undefined while the forge computes it. */
  hasConflicts: boolean | undefined = false;
  /** Whether the forge ignores a request for changes, as older versions of GitLab do. */
  ignoresRequestedChanges = false;
  /** Number of publications: a review, or each comment where there are no reviews. */
  publications = 0;
  private lastId = 100;

  constructor() {
    this.open({ path: "src/wall.txt", side: "new", line: 10 }, "Why raised?", "vauban");
    this.open({ path: undefined }, "In general good.", "wren");
  }

  nextId(): number {
    this.lastId += 1;
    return this.lastId;
  }

  open(
    position: Partial<Pick<CastleThread, "path" | "side" | "line" | "start">>,
    body: string,
    author: string = PULL.viewer,
  ): CastleThread {
    const thread: CastleThread = {
      id: this.nextId(),
      path: position.path,
      side: position.side ?? "new",
      line: position.line,
      start: position.start,
      resolved: false,
      comments: [],
    };
    this.threads.push(thread);
    this.reply(thread, body, author);
    return thread;
  }

  reply(thread: CastleThread, body: string, author: string = PULL.viewer): CastleComment {
    const comment = { id: this.nextId(), author, body, at: "2026-10-01T12:00:00Z" };
    thread.comments.push(comment);
    return comment;
  }

  find(id: number): CastleThread | undefined {
    return this.threads.find((thread) => thread.id === id);
  }

  /** The comments of the viewer, with their positions. */
  get own() {
    return this.threads.flatMap(({ path, side, line, start, comments }) =>
      comments
        .filter(({ author }) => author === PULL.viewer)
        .map(({ body }) => ({ body, path, side, line, start })),
    );
  }
}

/** Returns whether a comment can be on a line: whether a hunk of the diff has it. */
export function isInDiff(path: string, side: "old" | "new", line: number): boolean {
  const rows = hunksOf(path).split("\n");
  let [oldLine, newLine] = [0, 0];
  for (const row of rows) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(row);
    if (hunk) [oldLine, newLine] = [Number(hunk[1]), Number(hunk[2])];
    else {
      const isOld = !row.startsWith("+");
      const isNew = !row.startsWith("-");
      if (side === "old" ? isOld && oldLine === line : isNew && newLine === line) return true;
      if (isOld) oldLine += 1;
      if (isNew) newLine += 1;
    }
  }
  return false;
}

/** Returns a file of a commit. */
export function fileAt(path: string, sha: string): string | undefined {
  return FILES[path]?.[sha === BASE_SHA ? "old" : "new"];
}
