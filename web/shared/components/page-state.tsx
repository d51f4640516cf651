import type { ReactNode } from "react";
import { Logo } from "./logo.tsx";

interface PageStateProps {
  readonly title: string;
  readonly children?: ReactNode;
  readonly actions?: ReactNode;
}

/** Renders a full-page message: loading, empty, failed or done. */
export function PageState({ title, children, actions }: PageStateProps) {
  return (
    <main className="page-state">
      <Logo size={44} />
      <h1>{title}</h1>
      {children}
      {actions && <div className="page-actions">{actions}</div>}
    </main>
  );
}
