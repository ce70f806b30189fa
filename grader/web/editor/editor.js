// The editor of the attempt page: CodeMirror in the place of a textarea, which stays the form's field and is kept equal.
// Everything that the page does with the text beyond editing it is in static/attempt.js.
import { defaultKeymap, history, historyKeymap, indentLess, indentMore } from "@codemirror/commands";
import { pythonLanguage } from "@codemirror/lang-python";
import { bracketMatching, indentOnInput, indentUnit, LanguageSupport, syntaxHighlighting } from "@codemirror/language";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorSelection, EditorState, Prec, StateEffect } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";

// Tab indents until Esc has been pressed; then it leaves, as everywhere else on the page, until something is typed
function tabKeys(announce) {
  let leaves = false;
  const leave = () => {
    leaves = true;
    announce("Tab leaves the editor now.");
    return false; // Esc closes the search as well
  };
  const unless = (command) => (view) => !leaves && command(view);
  return [
    Prec.highest(keymap.of([{ key: "Escape", run: leave }])),
    keymap.of([{ key: "Tab", run: unless(indentOrInsert), shift: unless(indentLess) }]),
    EditorView.domEventHandlers({
      focus: () => void (leaves = false),
      keydown: (event) => void (["Escape", "Tab", "Shift"].includes(event.key) || (leaves = false)),
    }),
  ];
}

// A character typed over a selection is put in here: a browser that edits several lines by itself leaves style attributes
// behind, which the page's security policy refuses and reports
const typeOverSelection = EditorView.domEventHandlers({
  beforeinput: (event, view) => {
    const { selection } = view.state;
    const isTyped = event.inputType === "insertText" && event.data !== null && !event.isComposing && !view.composing;
    if (!isTyped || selection.main.empty || view.state.readOnly) return false;
    view.dispatch(view.state.replaceSelection(event.data), { userEvent: "input.type", scrollIntoView: true });
    event.preventDefault();
    return true;
  },
});

// a selection is moved in, a bare cursor to the next column of four
function indentOrInsert(view) {
  const { state } = view;
  if (state.readOnly) return true;
  if (state.selection.ranges.some((range) => !range.empty)) return indentMore(view);
  const changes = state.changeByRange((range) => {
    const column = range.from - state.doc.lineAt(range.from).from;
    const insert = " ".repeat(4 - (column % 4));
    return { changes: { from: range.from, insert }, range: EditorSelection.cursor(range.from + insert.length) };
  });
  view.dispatch(state.update(changes, { userEvent: "input.indent", scrollIntoView: true }));
  return true;
}

/**
 * Put an editor in a textarea's place.
 *
 * @param {HTMLTextAreaElement} area the form's field: it keeps the text, hidden
 * @param {{label: HTMLLabelElement, describedBy: string, nonce: string, submit: () => void, run: () => void,
 *   changed: () => void, announce: (text: string) => void}} page what surrounds it
 */
export function replaceTextarea(area, page) {
  const view = new EditorView({
    doc: area.value,
    extensions: [
      EditorView.cspNonce.of(page.nonce),
      Prec.highest(
        keymap.of([
          { key: "Mod-Enter", run: () => (page.submit(), true) },
          { key: "Mod-'", run: () => (page.run(), true) },
        ]),
      ),
      tabKeys(page.announce),
      typeOverSelection,
      lineNumbers(),
      highlightSpecialChars(),
      history(),
      drawSelection(),
      indentUnit.of("    "),
      EditorState.tabSize.of(4),
      EditorState.lineSeparator.of("\n"),
      indentOnInput(),
      syntaxHighlighting(classHighlighter),
      bracketMatching(),
      highlightActiveLine(),
      highlightActiveLineGutter(),
      highlightSelectionMatches(),
      search({ top: true }),
      keymap.of([...searchKeymap, ...defaultKeymap, ...historyKeymap]),
      new LanguageSupport(pythonLanguage),
      EditorView.contentAttributes.of({
        "aria-labelledby": page.label.id,
        "aria-describedby": page.describedBy,
        tabindex: "0",
        spellcheck: "false",
        autocapitalize: "off",
        autocorrect: "off",
        translate: "no",
      }),
      EditorView.updateListener.of((update) => {
        if (!update.docChanged) return;
        area.value = update.state.doc.toString();
        page.changed();
      }),
    ],
  });
  area.hidden = true;
  area.before(view.dom);
  page.label.removeAttribute("for");
  page.label.addEventListener("click", () => view.focus());
  return {
    focus: () => view.focus(),
    replace: (text) =>
      view.dispatch({
        changes: { from: 0, to: view.state.doc.length, insert: text },
        selection: { anchor: 0 },
        userEvent: "input.replace",
      }),
    close: () => view.dispatch({ effects: StateEffect.appendConfig.of(EditorState.readOnly.of(true)) }), // to be read
  };
}
