/** Rules about paths and about devices of one role. */
import { humanDuration } from '../../../base/format.ts'
import { defineRuleFinding } from './define.ts'

export const map01 = defineRuleFinding<{ dscp: number; here: number; there: number; peer: string }>({
  rule: 'MAP01',
  formerIds: ['class-map-differs'],
  severity: 'error',
  meaning: 'A DSCP in use is lossless at one switch of a path and lossy at the next.',
  consequence: 'RoCE is lossless at one hop and dropped at the other',
  remedy: 'give all switches the same map',
  source: '[MS-Scale] section 3',
  text: ({ dscp, here, there, peer }) =>
    `DSCP ${dscp} is in class ${here} here, which is lossy, and in lossless class ${there} at ${peer}`,
})

export const adr01 = defineRuleFinding<{ balance: string; hosts: number }>({
  rule: 'ADR01',
  severity: 'error',
  meaning: 'Packets of one flow take several paths, and NICs take packets out of order for a loss.',
  consequence: 'packets are sent again though none was lost',
  remedy: 'choose paths by flow (ECMP)',
  otherwise: ', or turn adaptive routing on at both ends',
  text: ({ balance, hosts }) =>
    `paths are chosen by ${balance}, and ${hosts} NICs are not known to take packets out of order`,
})

export const wd05 = defineRuleFinding<{ field: string; herePs: number; usualPs: number }>({
  rule: 'WD05',
  severity: 'warning',
  meaning: 'Times of the watchdog differ within a role, or detection takes more than 400 ms at servers.',
  consequence: 'a storm lasts longer at some switches',
  remedy: 'give all switches of a role the same times',
  source: '[MS-Scale] section 4.3',
  text: ({ field, herePs, usualPs }) => `${field} is ${humanDuration(herePs)}, and ${humanDuration(usualPs)} is usual`,
})

export const los00 = defineRuleFinding<{ links: number }>({
  rule: 'LOS00',
  severity: 'note',
  meaning: 'No link has PFC: the fabric is lossy by design.',
  consequence: 'rules about lossless classes do not apply',
  remedy: 'nothing, if it is meant',
  source: '',
  text: ({ links }) => `none of ${links} links has PFC`,
})
