/**
 * IRN and RoCE in fat trees of 54, 128 and 250 hosts.
 * Source: S3 A.3, Table 5.
 */
import { defineIrnSettings } from './irn-settings.ts'

const DEFAULT_ARITY = 6

export const irnScale = defineIrnSettings({
  name: 'irn-scale',
  title: 'fat trees of 54, 128 and 250 hosts',
  source: 'S3 A.3, Table 5',
  help: 'The default case of S3 in fat trees of switches with 6, 8 and 10 ports: whether what holds on 54 hosts does on more.',
  defaultName: '54 hosts',
  settings: [DEFAULT_ARITY, 8, 10].map((arity) => ({
    name: `${arity ** 3 / 4} hosts`,
    sets: () => [`topology.arity=${arity}`],
  })),
  remarks: [
    'The longest path has six links in each of these trees, so cap and buffers stay. S3 reckons its timeout of 320 us from the ports of a switch, of which there are more here; it stays too, as Table 8 shows how little it matters.',
  ],
})
