/**
 * Lines of files without what tells whose network it is: addresses and names are replaced, what stands behind words such as
 * password, community or description goes, and so do comments and banners. Columns stay where they are as far as the
 * spaces between them allow.
 */
import type { Addresses } from './addresses.ts'
import type { Names } from './names.ts'

const MAC = String.raw`(?<![\w:.-])(?:(?:[\da-fA-F]{2}:){5,19}[\da-fA-F]{2}|(?:[\da-fA-F]{2}-){5}[\da-fA-F]{2}|(?:[\da-fA-F]{4}\.){2}[\da-fA-F]{4})(?![\w:-])`
const PCI = String.raw`(?<![\w:])(?:[\da-fA-F]{4}:)?[\da-fA-F]{2}:[\da-fA-F]{2}\.[0-7](?!\w)`
const COLONS = String.raw`(?<![\w:])(?:[\da-fA-F]{0,4}:){2,7}[\da-fA-F]{0,4}(?:(?<=:\d{1,3})(?:\.\d{1,3}){3})?(?:/\d{1,3})?(?![\w:])`
const DOTS = String.raw`(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?:/\d{1,2})?(?![\w.])`
const WORD = String.raw`[\w\u0080-\uFFFF](?:[\w\u0080-\uFFFF.-]*[\w\u0080-\uFFFF])?`
const PIECE = new RegExp(
  [MAC, PCI, COLONS, DOTS, ' {2,}', WORD].map((one, i) => `(?<${'abcdef'[i]!}>${one})`).join('|'),
  'g',
)
/** IPv4 addresses within a word: "host-10.1.2.3.txt". */
const DOTS_INSIDE = /(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?!\d)/g
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i
const GUID = /^(?:[\da-f]{4}:){3}[\da-f]{4}$/i

/** Words behind which nothing of a line is known to be harmless. */
const SECRETS =
  'password|passwd|passphrase|passkey|secret|psk|community|communities|username|user|login|contact|location|description|' +
  'sysdescr|descr|remark|comment|alias|serial|sn|guidinfo|certificate|fingerprint|bgp|asn|as-path|remote-as|' +
  'local-as|peer-as|autonomous-system|key|key-string|authentication-key|md5|sha|token|license|asset|annotate'
const SECRET = new Set(SECRETS.split('|'))
/** The same in names of several words: DB_PASSWORD, encrypted-password. */
const SECRET_PART = /(?:^|[_-])(?:password|passwd|passphrase|secret|community|serial|token|credential)s?(?:$|[_-])/i
const SECRET_FIELD = new RegExp(
  String.raw`("[^"\\\n]{0,60}(?:pass|secret|passkey|community|descr|serial|user|contact|location|asn|md5|_key|token)[^"\\\n]{0,60}"\s{0,8}:\s{0,8})("(?:[^"\\\n]|\\.)*"|[-+.\w]+)`,
  'gi',
)
const REDACTED = 'redacted'

/** First words of comments that say what a file is. */
const HEADER = /^\s*!\s*(?:Command|device|Version|Time)\b/i
/** Marks with which a comment begins a line, in any language. */
const COMMENT = /^(\s*)(!|##?|\/\/)/

export interface LineStyle {
  /** Strings and numbers behind names: a value is replaced, and not the rest of the line. */
  readonly isJson: boolean
  /** A "#" behind a space begins a comment. */
  readonly hasHashComments: boolean
  /** Lines with "#" in front say something. */
  readonly keepsHashLines: boolean
  /** Comments stand between marks, also within lines. */
  readonly hasBlockComments: boolean
}

export class LineRedactor {
  readonly #addresses: Addresses
  readonly #names: Names

  constructor(addresses: Addresses, names: Names) {
    this.#addresses = addresses
    this.#names = names
  }

  line(text: string, style: LineStyle): string {
    if (style.isJson) return this.#words(text.replace(SECRET_FIELD, `$1"${REDACTED}"`), false)
    if (style.hasBlockComments) text = text.replaceAll(/\/\*[^*]*\*\//g, '/**/')
    const [begin = '', indent = '', mark = ''] = COMMENT.exec(text) ?? []
    if (begin !== '' && !HEADER.test(text) && !(mark === '#' && style.keepsHashLines)) return indent + mark
    const hash = style.hasHashComments ? text.search(/\s#/) : -1
    return this.#words(hash < 0 ? text : text.slice(0, hash), mark === '')
  }

  /** Names and addresses replaced. @param isCut whether the rest goes behind a word such as password */
  #words(text: string, isCut: boolean): string {
    let made = ''
    let at = 0
    for (const found of text.matchAll(PIECE)) {
      const [piece] = found
      made += text.slice(at, found.index)
      at = found.index + piece.length
      if (found.groups!['e'] === undefined) made += this.#piece(piece, found.groups!)
      else made += ' '.repeat(Math.max(1, at - made.length))
      if (isCut && (SECRET.has(piece.toLowerCase()) || SECRET_PART.test(piece))) return made + cut(text.slice(at))
    }
    return made + text.slice(at)
  }

  #piece(text: string, { a: mac, b: pci, c: colons, d: dots }: Readonly<Record<string, string | undefined>>): string {
    if (pci !== undefined) return text
    if (mac !== undefined) return this.#addresses.mac(text)
    if (dots !== undefined) return this.#addresses.v4(text) ?? text
    if (UUID.test(text)) return this.#names.word(text)
    if (colons === undefined)
      return this.#names.token(text.replaceAll(DOTS_INSIDE, (inner) => this.#addresses.v4(inner) ?? inner))
    if (GUID.test(text)) return this.#addresses.guid(text)
    // Times and lists of ports have colons too.
    return this.#addresses.v6(text) ?? text.replaceAll(/\w+/g, (word) => this.#names.token(word))
  }
}

const PASSWORD =
  /(?<![\w-])(?:password|passwd|passphrase|passkey|secret|psk|community|key-string|authentication-key|md5|token)(?![\w-])|(?:password|passphrase|secret|credential)s?(?=["\s:=])/i

/** A line without what stands behind words such as password, for excerpts that people read. */
export function withoutPasswords(text: string): string {
  const found = PASSWORD.exec(text)
  if (found === null) return text
  const end = found.index + found[0].length
  return text.slice(0, end) + cut(text.slice(end))
}

/** The rest of a line behind a secret word: how the line goes on, and how it ends. */
function cut(rest: string): string {
  if (rest.trim() === '') return rest
  const [, sign = ''] = /^("?\s{0,8}[:=])/.exec(rest) ?? []
  const [end = ''] = /[{;]\s*$/.exec(rest) ?? []
  if (rest.trim() === end || rest.slice(sign.length).trim() === '') return rest
  return `${sign} ${REDACTED}${end === '{' ? ' {' : end.trim()}`
}
