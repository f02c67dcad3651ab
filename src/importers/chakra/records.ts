/**
 * Chakra execution traces in their binary form: records of a varint, the length, and a message of Protocol Buffers. The first
 * is the metadata, the others are nodes, in any order.
 * Source: mlcommons/chakra, et_def.proto 0.0.4 and 1.0.0, its draft of October 2023, and eg_def.proto of 2023.
 */
import { quote } from '../importer.ts'
import type { ImportLog } from '../text-input.ts'
import { blankNode, isAttribute, type Trace, type TraceNode } from './node.ts'
import { BYTES, Damaged, MessageReader, VARINT } from './wire.ts'

const LENGTH_BYTES_MAX = 5
const VERSIONS: readonly string[] = ['0.0.4', '1.0.0']
const DRAFT = 'draft of October 2023'

/** Reads a file; null after an issue. */
export function readRecords(file: string, bytes: Uint8Array, log: ImportLog): Trace | null {
  const reader = new MessageReader(bytes)
  try {
    const first = nextRecord(reader)
    if (first === null) {
      log.issue(undefined, file, 'a record of metadata', 'an empty file')
      return null
    }
    const dialect = readMetadata(file, first, log)
    if (dialect === null) return null
    const nodes: TraceNode[] = []
    for (let from = reader.offset; ; from = reader.offset) {
      const record = nextRecord(reader)
      if (record === null) return { file, nodes, dialect }
      nodes.push(readNode(record, from))
    }
  } catch (error) {
    if (!(error instanceof Damaged)) throw error
    log.issue(undefined, `${file}, byte ${error.offset}`, error.expected, error.received, 'is the file whole?')
    return null
  }
}

/** null at the end. */
function nextRecord(reader: MessageReader): MessageReader | null {
  if (reader.isAtEnd) return null
  const from = reader.offset
  const length = reader.varint(LENGTH_BYTES_MAX)
  if (length > reader.left) throw new Damaged(from, `a record of ${length} bytes`, `${reader.left} bytes to the end`)
  return reader.record(length)
}

/** The dialect, which shows in the first record; null after an issue. */
function readMetadata(file: string, record: MessageReader, log: ImportLog): string | null {
  let version: string | null = null
  while (record.next()) {
    const { field, wireType } = record
    // A number is the id or the type of a node, so there is no metadata; a name in the place of an attribute likewise.
    const isNode = (field === 1 || field === 3) && wireType === VARINT
    if (isNode || (field === 2 && wireType === BYTES && !isAttributeHere(record))) {
      const expected = 'a trace of version 0.0.4 or 1.0.0, which begins with metadata'
      const hint = 'convert it with the tools of Chakra'
      log.issue(undefined, file, expected, 'none: it seems to be of eg_def, the format of 2023', hint)
      return null
    }
    if (field === 1 && wireType === BYTES && !isAttributeHere(record)) version = record.text()
  }
  if (version === null) return DRAFT
  if (VERSIONS.includes(version)) return version
  const hint = version === '0.0.3' ? 'of 0.0.3 no definition has been published' : ''
  log.issue(undefined, file, `version ${VERSIONS.join(' or ')}`, quote(version), hint)
  return null
}

/** Whether a field holds an attribute: a message that begins with a name. */
function isAttributeHere(record: MessageReader): boolean {
  const inner = record.message()
  try {
    return inner.next() && inner.field === 1 && inner.wireType === BYTES
  } catch (error) {
    if (error instanceof Damaged) return false
    throw error
  }
}

function readNode(record: MessageReader, offset: number): TraceNode {
  const node = blankNode(`byte ${offset}`)
  while (record.next()) {
    const { field } = record
    if (field === 1) node.id = record.unsigned()
    else if (field === 2) node.name = record.text()
    else if (field === 3) node.type = record.unsigned()
    else if (field === 4) record.numbers((id) => node.controlDeps.push(id))
    else if (field === 5) record.numbers((id) => node.dataDeps.push(id))
    else if (field === 7) node.durationUs = record.unsigned()
    else if (field === 10) readAttribute(record.message(), node)
  }
  return node
}

/** How a number is read, by the field of an attribute's value. */
const NUMBERS: Readonly<Record<number, (value: MessageReader) => number>> = {
  3: (value) => value.real(),
  5: (value) => value.real(),
  7: (value) => value.signed(),
  9: (value) => value.signed(),
  11: (value) => value.unsigned(),
  13: (value) => value.unsigned(),
  15: (value) => value.zigzag(),
  17: (value) => value.zigzag(),
  19: (value) => value.unsigned(),
  21: (value) => value.unsigned(),
  23: (value) => value.signed(),
  25: (value) => value.signed(),
  27: (value) => value.unsigned(),
}
const [NAME, BOOL_LIST, TEXT, TEXT_BYTES] = [1, 28, 29, 31]

function readAttribute(attribute: MessageReader, node: TraceNode): void {
  let name = ''
  let number: number | undefined
  let text = ''
  let isPartial = false
  while (attribute.next()) {
    const { field } = attribute
    if (field === NAME) name = attribute.text()
    else if (field === TEXT || field === TEXT_BYTES) text = attribute.text()
    else if (field === BOOL_LIST) isPartial = !allTrue(attribute.message())
    else number = NUMBERS[field]?.(attribute) ?? number
  }
  if (name === 'pg_name') node.group = text === '' && number !== undefined ? `${number}` : text
  else if (name === 'involved_dim') node.isPartial = isPartial
  else if (isAttribute(name)) node.numbers[name] = number ?? 0
}

function allTrue(list: MessageReader): boolean {
  let isAll = true
  while (list.next()) {
    if (list.field === 1)
      list.numbers((value) => {
        if (value === 0) isAll = false
      })
  }
  return isAll
}
