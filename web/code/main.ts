import "../shared/styles/shared.css";
import "./styles/layout.css";
import "./styles/tree.css";
import "./styles/diff.css";
import "./styles/comments.css";
import "./styles/commits.css";
import { afterPaint } from "../shared/after-paint.ts";

/** The server prerenders the top of the diff, so scripts load after the first paint. */
void afterPaint()
  .then(() => import("./app.tsx"))
  .then(({ start }) => start());
