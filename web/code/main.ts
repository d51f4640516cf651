import "../shared/styles/shared.css";
import "./styles/layout.css";
import "./styles/tree.css";
import "./styles/diff.css";
import "./styles/comments.css";
import { afterPaint } from "../shared/after-paint.ts";

/** The top of the diff comes with the page; whatever has to run for the rest waits until it is on the screen. */
void afterPaint()
  .then(() => import("./start.tsx"))
  .then(({ start }) => start());
