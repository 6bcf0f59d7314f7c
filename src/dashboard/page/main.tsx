import { render } from "preact";
import { Page } from "./page.tsx";
import { Session } from "./session.ts";

const root = document.getElementById("page");
if (root !== null) {
  root.replaceChildren();
  render(<Page session={new Session()} />, root);
}
