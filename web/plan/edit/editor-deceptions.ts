import { RangeSetBuilder } from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  type EditorView,
  ViewPlugin,
  type ViewUpdate,
  WidgetType,
} from "@codemirror/view";
import { findDeceptions } from "../../../src/render/markdown/deceptive.ts";

/** Shows the name of an invisible character in its place. */
class CharacterName extends WidgetType {
  readonly name: string;
  readonly meaning: string;
  constructor(name: string, meaning: string) {
    super();
    this.name = name;
    this.meaning = meaning;
  }
  override eq(other: CharacterName): boolean {
    return other.name === this.name;
  }
  override toDOM(): HTMLElement {
    const element = document.createElement("span");
    element.className = "deceptive";
    element.title = this.meaning;
    element.textContent = this.name;
    return element;
  }
  override ignoreEvent(): boolean {
    return false;
  }
}

/** Returns the marks of deceptive text in the visible lines. */
function findVisible({ state, visibleRanges }: EditorView): DecorationSet {
  const marks = new RangeSetBuilder<Decoration>();
  for (const { from, to } of visibleRanges) {
    // HTML comments are not marked, because the editor shows them.
    for (const { start, end, shown, meaning } of findDeceptions(state.sliceDoc(from, to), "none")) {
      // Blanks keep their width, so that they can be edited.
      const isBlank = shown.startsWith("␣");
      const mark = isBlank
        ? Decoration.mark({ class: "deceptive", attributes: { title: meaning } })
        : Decoration.replace({ widget: new CharacterName(shown, meaning) });
      marks.add(from + start, from + end, mark);
    }
  }
  return marks.finish();
}

class Deceptions {
  decorations: DecorationSet;
  constructor(view: EditorView) {
    this.decorations = findVisible(view);
  }
  update({ docChanged, viewportChanged, view }: ViewUpdate): void {
    if (docChanged || viewportChanged) this.decorations = findVisible(view);
  }
}

/** Marks text that a reader cannot see but an agent reads. */
export const markDeceptions = ViewPlugin.fromClass(Deceptions, {
  decorations: ({ decorations }) => decorations,
});
