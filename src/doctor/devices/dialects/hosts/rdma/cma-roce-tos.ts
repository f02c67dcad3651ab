/**
 * cma_roce_tos -d DEV: type of service of connections that the RDMA connection manager makes. It prints one number, so that
 * only the command or the name of the file tells what it is.
 * Source: mlnx-tools, sbin/cma_roce_tos.
 */
import type { Dialect } from '../../dialect.ts'
import { optionOf, wholeIn } from '../host-words.ts'

const LENGTH_MAX = 40

export const cmaRoceTos: Dialect = {
  name: 'cma_roce_tos',
  title: 'cma_roce_tos -d DEV',
  command: 'cma_roce_tos -d DEV',
  leavesOut: [],
  recognises: ({ text, command, file }) =>
    text.length < LENGTH_MAX &&
    /^\s*\d{1,3}\s*$/.test(text) &&
    (/\bcma_roce_tos\b/.test(command) || /cma[-_]?roce[-_]?tos[^/\\]*$/i.test(file)),
  read({ lines, command }, facts) {
    facts.kind = 'host'
    const device = optionOf(command, 'd', 'device')
    const { nic } = device === '' ? facts.port('') : facts.rdmaPort(device)
    for (const line of lines) {
      const tos = wholeIn(line.text.trim(), 255)
      if (tos !== undefined) nic.put('cmaTclass', tos, line, 'operational')
      else if (line.text.trim() !== '') facts.remainder.push(line)
    }
  },
}
