import type { ReactNode } from "react";
import { classNames } from "../../../src/render/class-names.ts";

export interface Column<Row> {
  readonly head: string;
  readonly cell: (row: Row) => ReactNode;
  /** Whether the column contains figures, which are right-aligned. */
  readonly isFigure?: boolean;
  /** Whether the column does not wrap while the page is wide enough for a table. */
  readonly isShort?: boolean;
}

interface DataTableProps<Row> {
  /** The id of the heading that names the table. */
  readonly labelledBy: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly getKey: (row: Row) => string;
  readonly getTone?: (row: Row) => string;
}

/** Renders a table with the same markup as `table` of `src/render/dashboard`. */
export function DataTable<Row>({ labelledBy, columns, rows, getKey, getTone }: DataTableProps<Row>) {
  return (
    <table aria-labelledby={labelledBy}>
      <thead>
        <tr>
          {columns.map(({ head, isFigure }) => (
            <th scope="col" className={isFigure ? "figure" : undefined} key={head}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={getKey(row)} className={getTone?.(row)}>
            {columns.map(({ head, cell, isFigure, isShort }, index) => {
              const attributes = {
                className: classNames(isFigure && "figure", isShort && "short"),
                "data-head": head,
              };
              return index === 0 ? (
                <th scope="row" key={head} {...attributes}>
                  {cell(row)}
                </th>
              ) : (
                <td key={head} {...attributes}>
                  {cell(row)}
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
