// Creates git repositories with diffs of a known size, from a fixed seed.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** `changed` counts removed and added lines of one file, like `git diff --numstat`. */
export const sizes = {
  S: { files: 20, changed: 30, lines: 120 },
  M: { files: 300, changed: 200, lines: 600 },
  L: { files: 1, changed: 50_000, lines: 80_000 },
  XL: { files: 3_000, changed: 334, lines: 600 },
};

const NAMES = ["order", "price", "user", "cart", "total", "items", "rate", "state"];

/** Returns a pseudo-random number generator with the same sequence on every machine. */
function numbers(seed) {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

function line(next, index) {
  const [a, b] = [NAMES[next(NAMES.length)], NAMES[next(NAMES.length)]];
  switch (next(6)) {
    case 0:
      return `export function ${a}${index}(${b}: number): string {`;
    case 1:
      return `  const ${a} = ${b}.filter((each) => each.id === ${next(1_000)}); // keep ${a}`;
    case 2:
      return `  if (${a} > ${next(100)} && ${b} !== undefined) return "${a}-${index}";`;
    case 3:
      return `  /* the ${a} of ${b} */`;
    case 4:
      return `  return \`\${${a}}/\${${b}}\`;`;
    default:
      return "}";
  }
}

function edited(text, next) {
  const number = next(100);
  return next(2) === 0 && /[a-z]/.test(text)
    ? text.replace(/[a-z]+/, `changed${number}`)
    : `${text} // edited ${number}`;
}

/** Creates the repository with an uncommitted change unless it exists. Returns its folder. */
export function makeRepository(folder, size) {
  const { files, changed, lines } = sizes[size];
  const root = join(folder, size);
  if (existsSync(join(root, ".made"))) return root;
  rmSync(root, { recursive: true, force: true });
  mkdirSync(root, { recursive: true });
  const git = (...args) => execFileSync("git", args, { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
  git("init", "-q", "-b", "main");
  const path = (file) => join(root, `src/part${file % 25}/module${file}.ts`);
  const texts = Array.from({ length: files }, (_, file) => {
    const next = numbers(file + 1);
    return Array.from({ length: lines }, (_, index) => line(next, index));
  });
  const write = (file, content) => {
    mkdirSync(dirname(path(file)), { recursive: true });
    writeFileSync(path(file), `${content.join("\n")}\n`);
  };
  texts.forEach((content, file) => {
    write(file, content);
  });
  git("add", "-A");
  git("-c", "user.name=bench", "-c", "user.email=bench@example.com", "commit", "-qm", "before");
  texts.forEach((content, file) => {
    write(file, change(content, changed / 2, numbers(file + 7_919)));
  });
  writeFileSync(join(root, ".git/info/exclude"), ".made\n");
  writeFileSync(join(root, ".made"), "");
  return root;
}

/** Edits lines in runs of one to three, distributed over the text. */
function change(content, count, next) {
  const result = [...content];
  const spacing = content.length / count;
  for (let done = 0, at = 0; done < count && at < content.length; ) {
    const run = Math.min(1 + next(3), count - done);
    for (let step = 0; step < run; step++) result[at + step] = edited(result[at + step] ?? "}", next);
    done += run;
    at = Math.max(at + run, Math.floor(done * spacing));
  }
  return result;
}
