import { AppError } from "../../../src/errors.ts";
import type { Forge, ForgeThread, PullRequest } from "../../../src/review/forges/forge.ts";
import { filePatch } from "../../../src/review/patch/file-patch.ts";

const lines = (...texts: readonly string[]) => texts.map((text) => `${text}\n`).join("");
const OLD = lines("one", "", "two", "", "three");
const FIRST = lines("one", "", "two, changed", "", "three");
/** The file after a push to the branch. */
export const PUSHED = lines("new", "new", "one", "", "two, changed", "", "three");

/** A pull request whose branch and threads a test can change. */
export class FakePull {
  text = FIRST;
  threads: readonly ForgeThread[] | AppError = [];
  /** The error of reading the diff. */
  failure: AppError | undefined;
  /** Commits whose reviews were posted. */
  readonly posted: string[] = [];
  incomplete: readonly string[] | undefined;
  /** Number of reads of the diff. */
  patches = 0;

  get pull(): PullRequest {
    return {
      number: 7,
      url: "https://forge.test/octo/castle/pull/7",
      title: "Change two",
      description: "",
      author: "brunel",
      state: "open",
      base: { ref: "main", sha: "b".repeat(40) },
      head: { ref: "change", sha: (this.text === FIRST ? "a" : "c").repeat(40) },
      reviewers: [],
      incomplete: this.incomplete,
    };
  }

  get forge(): Forge {
    const content = (text: string) => ({ mode: "100644" as const, bytes: Buffer.from(text) });
    const other = () => filePatch("b.txt", undefined, content("other\n"))?.bytes ?? Buffer.alloc(0);
    return {
      address: { forge: "gitlab", host: "forge.test", repository: "octo/castle", number: 7 },
      open: async () => this.pull,
      commits: async () => [],
      checks: async () => [],
      threads: async () => {
        if (this.threads instanceof AppError) throw this.threads;
        return this.threads;
      },
      patch: async () => {
        if (this.failure) throw this.failure;
        this.patches += 1;
        return filePatch("a.txt", content(OLD), content(this.text))?.bytes ?? Buffer.alloc(0);
      },
      commitPatch: async () => other(),
      file: async (_path, sha) => Buffer.from(sha.startsWith("b") ? OLD : this.text),
      post: async ({ pull }) => {
        this.posted.push(pull.head.sha);
        return { url: pull.url, rejected: [] };
      },
      settle: async () => [],
    };
  }
}
