/**
 * Redactor: files of a fabric as they may be given away. A file of a form that is known keeps the words of its language and
 * its numbers; names, addresses and free text are replaced. A file of no known form cannot be known to be harmless.
 */
import { formsIn, readFile } from '../dialects/index.ts'
import { Addresses } from './addresses.ts'
import { LineRedactor, type LineStyle } from './lines.ts'
import { Names } from './names.ts'

/** Forms in which "#" begins a comment anywhere, and those whose lines with "#" are read. */
const HASH_COMMENTS: readonly string[] = ['shell-settings', 'job-environment', 'nvue', 'junos']
const HASH_LINES: readonly string[] = ['sonic-pg-profile-lookup', 'node_exporter']
const PLAIN: LineStyle = { isJson: false, hasHashComments: false, keepsHashLines: false, hasBlockComments: false }
/** Certificates and keys in letters. */
const [ARMOUR_BEGIN, ARMOUR_END] = ['-----BEGIN', '-----END']

/** Devices that files name: themselves, and their neighbours. */
export function devicesNamedIn(file: string, text: string, command: string): string[] {
  return readFile(file, text, command).parts.flatMap(({ facts }) =>
    [facts.hostname, ...facts.neighbours.map(({ peerDevice }) => peerDevice)].filter(
      (name) => name !== '' && !/^[\d.:a-f-]*$/i.test(name),
    ),
  )
}

export class Redactor {
  readonly #addresses = new Addresses()
  readonly #names: Names
  readonly #lines: LineRedactor

  /** @param devices by folders and links @param named by files: devicesNamedIn() */
  constructor(devices: Iterable<string>, named: Iterable<string> = []) {
    this.#names = new Names(devices, named)
    this.#lines = new LineRedactor(this.#addresses, this.#names)
  }

  device(name: string): string {
    return this.#names.device(name)
  }

  /** A command, or the name of a port. */
  words(text: string): string {
    return this.#lines.line(text, PLAIN)
  }

  /** Names of folders and of a file, with forward slashes. */
  path(names: string): string {
    const one = (name: string): string => {
      const [, stem = name, ending = ''] = /^(.+?)(\.[a-z]\w{0,4})?$/i.exec(name) ?? []
      return [stem, ending].map((part) => this.words(part.replaceAll(/[^\w\u0080-\uFFFF.-]+/g, '_'))).join('')
    }
    return names.split('/').map(one).join('/')
  }

  /** The file with as many lines, those of no known form empty; undefined: nothing of it is known. */
  text(file: string, text: string, command: string): string | undefined {
    const forms = formsIn(file, text, command)
    if (forms.every(({ dialect }) => dialect === undefined)) return undefined
    const made = text.split('\n').map(() => '')
    for (const { part, dialect } of forms) {
      if (dialect === undefined) continue
      const first = part.lines[0]?.number ?? 1
      // A part that does not begin the file stands behind the line of its command, or of its heading.
      const { command: typed, heading } = part
      if (first > 1 && typed !== '') made[first - 2] = `$ ${this.words(typed)}`
      else if (first > 1 && heading !== '') made[first - 2] = `== ${this.words(heading)} ==`
      const style: LineStyle = {
        isJson: /^[\s]*[[{]/.test(part.text) && part.text.includes('"'),
        hasHashComments: HASH_COMMENTS.includes(dialect.name),
        keepsHashLines: HASH_LINES.includes(dialect.name),
        hasBlockComments: dialect.name === 'junos',
      }
      for (const { number, text: line } of withoutFreeText(part.lines, style))
        made[number - 1] = this.#lines.line(line, style)
    }
    return made.join('\n')
  }

  /** Originals and replacements. */
  get mapping(): readonly { readonly kind: string; readonly from: string; readonly to: string }[] {
    const addresses = [...this.#addresses.replaced].map(([from, to]) => ({ kind: 'address', from, to }))
    return [...this.#names.replaced, ...addresses]
  }
}

interface NumberedLine {
  readonly number: number
  readonly text: string
}

/** Lines without those of banners, of long comments and of certificates. A banner ends with its first mark, or with EOF. */
function* withoutFreeText(lines: readonly NumberedLine[], style: LineStyle): Generator<NumberedLine> {
  let end = ''
  for (const { number, text } of lines) {
    if (end !== '') {
      const isEnd = text.includes(end)
      yield { number, text: isEnd && end !== ARMOUR_END ? end : '' }
      if (isEnd) end = ''
      continue
    }
    const [, head, rest = ''] = /^(banner \S+)(?: (.*))?$/.exec(text.trim()) ?? []
    if (head !== undefined) {
      const mark = rest === '' ? 'EOF' : rest.startsWith('^C') ? '^C' : rest.charAt(0)
      const isWhole = rest !== '' && rest.indexOf(mark, mark.length) > 0
      yield { number, text: isWhole ? '' : `${head} ${rest === '' ? '' : mark}`.trim() }
      if (!isWhole) end = mark
    } else if (text.includes(ARMOUR_BEGIN)) {
      yield { number, text: '' }
      end = ARMOUR_END
    } else if (style.hasBlockComments && text.trimStart().startsWith('/*') && !text.includes('*/')) {
      yield { number, text: '/*' }
      end = '*/'
    } else yield { number, text }
  }
}
