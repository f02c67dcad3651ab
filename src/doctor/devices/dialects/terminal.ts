/**
 * Terminals: lines without what terminals, pagers and logs add to what a device prints.
 */

/** Escape sequences of terminals; backspaces of pagers, with what they take back. */
// eslint-disable-next-line no-control-regex
const TERMINAL = /\u001B\[[0-?]*[ -/]*[@-~]|\u001B[@-Z\\-_]|[^\n]\u0008|[\u0000-\u0008\u000B\u000C\u000E-\u001F]/g
const PAGER =
  /^\s*(?:-{1,3}\s*\(?More\)?\b[^a-z]{0,8}-{1,3}(?: ?\(.{0,60}\))?|<-{1,3} ?More ?-{1,3}>|-{3}\(more[^)]*\)-{3}|lines \d+-\d+.*|\(END\)|:$|Press any key.*)\s*/i

/** "Mar  1 00:00", "Sun Mar 1 2026 00:00", "2026-03-01T00:00", "2026 Mar 1 00:00", "03/01/2026 00:00", with or without seconds. */
const TIME = String.raw`(?:(?:[A-Z][a-z]{2},? )?(?:\d{4} )?[A-Z][a-z]{2} {1,2}\d{1,2}(?: \d{4})?|\d{4}[-/]\d\d[-/]\d\d|\d\d/\d\d/\d{4})[ T]\d\d:\d\d`
/** Lines that stand between others and are no part of them. */
const FOREIGN: readonly RegExp[] = [
  // Messages of logs: "%ETHPORT-5-IF_UP: ...", "%%10IFNET/3/LINK_UPDOWN: ...", with a time, a priority or a host in front.
  /%[A-Z][A-Z\d_]*(?:-[A-Z\d_]+)*-[0-7]-[A-Z\d_]+|%%\d{0,2}\w+\/[0-7]\/\w/,
  new RegExp(String.raw`^(?:\d{1,9}: )?[*.[]?(?:${TIME}|<\d{1,3}>|\[ {0,8}\d+\.\d+\] )`),
  // A session begins, waits or ends.
  /^(?:Last login: |Broadcast message from |Message from syslogd@|Connection (?:to \S{1,253} )?closed\b|Warning: Permanently added |client_loop: |Timeout, server |timed out waiting for input|(?:Your |Vty )?(?:session|connection) (?:has |is )?timed out)/i,
  // "Building configuration..."
  /^[A-Z][\w ]*\.\.\.$/,
]
/** First letters of such lines, which few others have. */
const MAY_BE_FOREIGN = /^[A-Zct*.<[\d]|%/

/** Prompts behind which nothing stands: "leaf1#", "RP/0/RP0/CPU0:r1(config)#", "admin@leaf1:~$", "[root@gpu1 ~]#". */
const IDLE = /^(?:[\w.@/-]+(?::[\w.~/-]*)?(?:\([\w./ -]*\))?|\[[\w.-]{1,64}@[\w.-]{1,253} [^\]]{0,200}\])[#$>]$/

/** Those that no configuration has, but an output may. */
const FOREIGN_TO_CONFIGURATIONS: readonly RegExp[] = [
  /^[\w.@/-]+(?::[\w.~/-]*)?(?:\([\w./ -]*\))?[#$>](?:[ \w]|$)/,
  /^(?:\{(?:master|backup|linecard|primary|secondary)[^}]*\}|\[edit[^\]]*\].*)$/,
  // Notices: "Current configuration : 1234 bytes", "% Invalid input".
  /^(?:Current configuration\b|Using \d+ out of|Last configuration\b|% ?[A-Z])|^[A-Z][\w ,'-]+\.$/,
]

const isForeign = (text: string): boolean =>
  (MAY_BE_FOREIGN.test(text) && FOREIGN.some((form) => form.test(text))) || IDLE.test(text)

/** @param text a line of a configuration, without spaces around it */
export const isForeignToConfigurations = (text: string): boolean =>
  isForeign(text) || PAGER.test(text) || FOREIGN_TO_CONFIGURATIONS.some((form) => form.test(text))

/** A line as a terminal shows it: what stands before a carriage return is written over. */
function shown(line: string): string {
  let end = line.length
  while (line[end - 1] === '\r') end--
  return line.slice(line.lastIndexOf('\r', end - 1) + 1, end)
}

/** A time that a terminal program or a script has written in front of a line: "[2026-03-01 00:00:00.123] ", "00:00:00 ". */
const STAMP = new RegExp(
  String.raw`^\[?(?:${TIME}(?::\d\d)?|\d\d:\d\d:\d\d)(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?\]?(?::? |$)`,
)

/** Lines without the time in front of each, if there is one in front of all: it says nothing of what the line is. */
export function withoutStamps(lines: readonly string[]): readonly string[] {
  const areStamped = lines.every((line) => STAMP.test(line) || line.trim() === '')
  return areStamped ? lines.map((line) => line.replace(STAMP, '')) : lines
}

/** The line that the device has printed; undefined: it is of a pager, of a log or of the session. */
export function printedLine(raw: string): string | undefined {
  if (raw === '') return raw
  const line = shown(raw).replace(TERMINAL, '')
  const rest = line.replace(PAGER, '')
  return (rest === '' && line !== '') || isForeign(rest.trimEnd()) ? undefined : rest
}
