import { Button } from "../../shared/components/button.tsx";
import { useFieldFocus } from "./use-field-focus.ts";

/** A tag, as in the fields of a form. */
export interface TagTexts {
  readonly name: string;
  readonly value: string;
}

export const tagTexts = (tags: Readonly<Record<string, string>>): TagTexts[] =>
  Object.entries(tags).map(([name, value]) => ({ name, value }));

/** Returns the tags of a form. Leaves out tags without a name. */
export function tagsFrom(texts: readonly TagTexts[]): Record<string, string> {
  const named = texts.filter(({ name }) => name.trim() !== "");
  return Object.fromEntries(named.map(({ name, value }) => [name.trim(), value.trim()]));
}

interface TagFieldsProps {
  readonly texts: readonly TagTexts[];
  readonly onChange: (texts: readonly TagTexts[]) => void;
}

/** Renders the fields of tags, by which usage reports can be grouped. */
export function TagFields({ texts, onChange }: TagFieldsProps) {
  const change = (index: number, tag: TagTexts) => onChange(texts.with(index, tag));
  const group = useFieldFocus(texts.length);
  return (
    <fieldset ref={group}>
      <legend className="legend-text">Tags, for usage reports</legend>
      {texts.map((tag, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: tags have no other identity while they are edited.
        <div className="form-row" key={index}>
          <label className="field">
            <span>Name of tag {index + 1}</span>
            <input
              className="input"
              maxLength={64}
              value={tag.name}
              onChange={({ target }) => change(index, { ...tag, name: target.value })}
            />
          </label>
          <label className="field">
            <span>Value of tag {index + 1}</span>
            <input
              className="input"
              maxLength={256}
              value={tag.value}
              onChange={({ target }) => change(index, { ...tag, value: target.value })}
            />
          </label>
          <Button onClick={() => onChange(texts.toSpliced(index, 1))}>Remove tag {index + 1}</Button>
        </div>
      ))}
      <Button small onClick={() => onChange([...texts, { name: "", value: "" }])}>
        Add a tag
      </Button>
    </fieldset>
  );
}
