import { type Html, html } from "./html.ts";

export interface Column<Row> {
  readonly head: string;
  readonly cell: (row: Row) => Html | string;
  /** Figures stand at the right. */
  readonly isFigure?: boolean;
  /** Is never broken where there is room for a table. */
  readonly isShort?: boolean;
}

/** A part of the page: its heading, which names its table, and what stands beneath. */
export function section(key: string, heading: Html | string, ...content: readonly (Html | false)[]): Html {
  const all = content.filter((each) => each !== false);
  return html`<section data-key="${key}"><h2 id="${key}-heading">${heading}</h2>${all}</section>`;
}

/**
 * A table named by the heading of the section it stands in. Where it is narrow, rows become cards, and every cell says its column's name; a
 * cell without content is left out there.
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
