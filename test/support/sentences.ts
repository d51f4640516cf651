import fc from "fast-check";

const FIRST = [
  "that",
  "and",
  "a",
  "this",
  "can",
  "could",
  "could not",
  "delete",
  "do",
  "edit",
  "else",
  "every",
  "fold",
  "general",
  "here",
  "I",
  "if",
  "in",
  "just",
  "keep",
  "let",
  "make",
  "maybe",
  "no",
  "not",
  "now",
  "oops",
  "open",
  "please",
  "remove",
  "replace",
  "should",
  "so",
  "the",
  "to",
  "undo",
  "use",
  "view",
  "what",
  "who",
  "why",
  "x",
  "yes",
  "zero",
  "A",
  "And",
  "Can",
  "Every",
  "Ctrl",
  "No",
  "Please",
  "The",
  "This",
  "Why",
];
const REST = [
  "is wrong",
  "test the error",
  "plan approves",
  "ls -la",
  "make a test",
  "git push --all",
  "1, 2 and 3",
  "(again)",
  "a [link] {x}",
  "o v x a e s",
  "\"quoted\" and 'so'",
  "50 % / day",
  "a+b = c",
  "deny it!",
  "send. Now",
];

/** Sentences as people type them: short and long, with the letters that are commands at their start and within. */
export function sentences(count: number): readonly string[] {
  const sentence = fc
    .tuple(fc.constantFrom(...FIRST), fc.constantFrom(...REST), fc.constantFrom("", ".", "?"))
    .map(([first, rest, end]) => `${first} ${rest}${end}`);
  return fc.sample(sentence, { numRuns: count, seed: 20_261_122 });
}

/**
 * Words that sentences start with, three for every letter. The first letters are commands, and so are many of the
 * next ones.
 */
const OPENINGS: readonly (readonly string[])[] = [
  "a also another",
  "but begin box",
  "can create css",
  "do drop does",
  "every edit else",
  "for fix file",
  "good given general",
  "how he http",
  "if in i18n",
  "just jam joke",
  "kind keep knowing",
  "let look label",
  "make more maybe",
  "no nice ngrams",
  "or open of",
  "please pick price",
  "question quite query",
  "remove right rather",
  "should send see",
  "this that two",
  "use undo under",
  "very view verify",
  "what why who",
  "x-ray xml xterm",
  "yes you yet",
  "zero zip zoom",
].map((openings) => openings.split(" "));

/** Returns a sentence for every letter from a to z; another `turn` starts with other words. */
export function letterSentences(turn: number): readonly string[] {
  const endings = ["is a map", "the o v x", "it, at 5 %"];
  return OPENINGS.map(
    (openings, at) => `${openings[turn % openings.length]} ${endings[(at + turn) % endings.length]}`,
  );
}
