/**
 * Session: the last readings of one device as a terminal shows them, each command behind a prompt, in the forms of a vendor.
 */
import { ALL_PRIORITIES, type Reading } from '../../../../core/device-model/index.ts'
import type { CounterWriter } from './writer.ts'

const PAUSES: ReadonlySet<string> = new Set(['pfcRxFrames', 'pfcTxFrames', 'pauseRxUs', 'pauseTxUs'])

/** @param readings of one device. Ports that are numbers get the vendor's names. */
export function sessionText(writer: CounterWriter, device: string, readings: readonly Reading[]): string {
  const last = new Map<string, Reading>()
  for (const reading of readings) {
    const key = JSON.stringify([reading.port, reading.priority, reading.name])
    const known = last.get(key)
    if (known === undefined || known.timeNs <= reading.timeNs) last.set(key, reading)
  }
  const counts = [...last.values()].map((one) => {
    const isNumber = /^[1-9]\d*$/.test(one.port)
    return { ...one, port: isNumber ? writer.portName(Number(one.port)) : one.port }
  })
  // Classes that paused: which others are lossless, counters do not tell.
  const paused = counts.filter(
    ({ name, priority, value }) => PAUSES.has(name) && priority !== ALL_PRIORITIES && value > 0,
  )
  const lossless = [...new Set(paused.map(({ priority }) => priority))].sort((a, b) => a - b)
  const prompt = `${device.replaceAll(/[^\w.-]+/g, '-')}# `
  return writer
    .write(counts, lossless)
    .map(({ command, text }) => `${prompt}${command}\n${text.trimEnd()}\n`)
    .join('')
}
