import { describe, expect, it } from "vitest";
import type { DiffMechanical } from "../../../../src/review/api-types.ts";
import { codeServer } from "../../../support/code-server.ts";
import { testRepository } from "../../../support/test-repository.ts";

const helper = "export function formatEverything(input) {\n  return render(input, everything);\n}\n";

describe("GET /api/diff/mechanical", () => {
  it("lists the files with only mechanical changes, and the kinds of these", async () => {
    const repository = await testRepository({
      "from.ts": `import { a } from "a";\n\n${helper}\nkeep();\n`,
      "to.ts": 'import { b } from "b";\n\nstart();\n',
      "real.ts": "let x = 1;\n",
      "old-name.ts": "one\ntwo\nthree\nfour\n",
      "package-lock.json": "{}\n",
      "spaces.ts": "run( a );\n",
    });
    await repository.git("mv", "old-name.ts", "new-name.ts");
    await repository.write({
      "from.ts": 'import { a, c } from "a";\n\nkeep();\n',
      "to.ts": `import { b } from "b";\n\nstart();\n\n${helper}`,
      "real.ts": "let x = 2;\n",
      "package-lock.json": '{ "a": 1 }\n',
      "spaces.ts": "run(a);\n",
    });
    const server = await codeServer(repository);
    const { files }: DiffMechanical = (await server.get("/api/diff/mechanical")).json();
    expect(Object.fromEntries(files.map(({ path, kinds }) => [path, [...kinds].sort()]))).toEqual({
      "from.ts": ["imports", "moved"],
      "to.ts": ["moved"],
      "new-name.ts": ["file-renamed"],
      "package-lock.json": ["generated"],
      "spaces.ts": ["formatting"],
    });
    expect((await server.get("/api/diff/mechanical?id=other")).statusCode).toBe(409);
  });

  it("does not list a file whose change is in a string that began before the lines of the diff", async () => {
    const body = ["  one", "  two", "  three", "  four", "  five"];
    const files = (lines: readonly string[]) => ({
      "template.ts": `run( a );\nconst a = \`\n${lines.join("\n")}\n\`;\n`,
      "Block.java": `class A {\n  String a = """\n${lines.join("\n")}\n""";\n}\n`,
      "text.rs": `const A: &str = "\n${lines.join("\n")}\n";\n`,
      "doc.py": `A = """\n${lines.join("\n")}\n"""\n`,
      "list.ts": `const a = [\n${lines.join(",\n")}\n];\n`,
      "after.ts": `const a = \`\n\`;\nconst b = [\n${lines.join(",\n")}\n];\n`,
    });
    const repository = await testRepository(files(body));
    const indented = body.with(4, "      five");
    await repository.write({ ...files(indented), "doc.py": files([...body, ""])["doc.py"] });
    const server = await codeServer(repository);
    const { files: found }: DiffMechanical = (await server.get("/api/diff/mechanical")).json();
    expect(found).toEqual([
      { path: "after.ts", kinds: ["formatting"] },
      { path: "list.ts", kinds: ["formatting"] },
    ]);
  });
});
