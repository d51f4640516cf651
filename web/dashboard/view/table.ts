import { type Html, html } from "./html.ts";

export interface Column<Row> {
  readonly head: string;
  readonly cell: (row: Row) => Html | string;
  /** Figures stand at the right. */
  readonly isFigure?: boolean;
  /** Is never broken where there is room for a table. */
  readonly isShort?: boolean;
}

/**
 * A table with its caption as a heading. Where it is narrow, rows become cards, and every cell says its column's name; a
 * cell without content is left out there.
 */
export function table<Row>(
  caption: Html,
  columns: readonly Column<Row>[],
  rows: readonly { readonly key: string; readonly row: Row; readonly tone?: string }[],
): Html {
  const [first] = columns;
  return html`<table><caption>${caption}</caption>
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
