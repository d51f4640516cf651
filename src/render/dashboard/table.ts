import { type Html, html } from "./html.ts";

export interface Column<Row> {
  readonly head: string;
  readonly cell: (row: Row) => Html | string;
  /** Whether the column contains figures, which are right-aligned. */
  readonly isFigure?: boolean;
  /** Whether the column does not wrap while the page is wide enough for a table. */
  readonly isShort?: boolean;
}

/** Renders a section of the page: a heading, which labels the section's table, and its content. */
export function section(key: string, heading: Html | string, ...content: readonly (Html | false)[]): Html {
  const all = content.filter((each) => each !== false);
  return html`<section data-key="${key}"><h2 id="${key}-heading">${heading}</h2>${all}</section>`;
}

/**
 * Renders a table that is labeled by its section's heading. On a narrow page, rows become cards, in which every cell
 * but the first is labeled with its column's name, and empty cells are omitted.
 */
export function table<Row>(
  inSection: string,
  columns: readonly Column<Row>[],
  rows: readonly { readonly key: string; readonly row: Row; readonly tone?: string }[],
): Html {
  const [first] = columns;
  return html`<table aria-labelledby="${inSection}-heading">
<thead><tr>${columns.map(({ head, isFigure }) => html`<th scope="col" class="${isFigure && "figure"}">${head}</th>`)}</tr></thead>
<tbody>${rows.map(
    ({ key, row, tone = "" }) =>
      html`<tr data-key="${key}" class="${tone}">${columns.map((column) => cell(column, row, column === first))}</tr>`,
  )}</tbody></table>`;
}

function cell<Row>(column: Column<Row>, row: Row, isFirst: boolean): Html {
  const { head, isFigure, isShort } = column;
  const content = column.cell(row);
  const name = isFigure ? "figure" : isShort && "short";
  if (isFirst) return html`<th scope="row" class="${name}" data-head="${head}">${content}</th>`;
  return html`<td class="${name}" data-head="${head}">${content}</td>`;
}
