import type { ReactNode } from "react";
import { Logo } from "./logo.tsx";

interface PageStateProps {
  readonly title: string;
  readonly children?: ReactNode;
  readonly actions?: ReactNode;
}

/** A page that has one thing to say: loading, nothing here, gone, done. */
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
