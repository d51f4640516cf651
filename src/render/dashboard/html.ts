/** Markup that is safe to insert into a page. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Value = string | number | false | undefined | Html | readonly Html[];

/**
 * Returns markup with values inserted. Values are escaped unless they are `Html`; `false` and `undefined` insert
 * nothing.
 */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Html {
  const texts = values.map((value, index) => `${toMarkup(value)}${parts[index + 1]}`);
  return new Html(`${parts[0]}${texts.join("")}`);
}

function toMarkup(value: Value): string {
  if (value === false || value === undefined) return "";
  if (value instanceof Html) return value.text;
  if (typeof value === "object") return value.map(({ text }) => text).join("");
  return escapeHtml(String(value));
}

/** Escapes text for element content and double-quoted attributes. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
