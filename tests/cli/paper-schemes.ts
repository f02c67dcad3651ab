/**
 * Transport schemes that the papers name, with their names here. survey.test.ts checks that each is registered or listed as
 * absent.
 * Source: the schemes of the five papers; those of "absent" are names in src/papers/survey/absent-schemes.ts.
 */

interface PaperScheme {
  readonly name: string
  /** Papers that name it. */
  readonly papers: string
  /** Recoveries and congestion controls that implement it. */
  readonly here: readonly string[]
}

export const PAPER_SCHEMES: readonly PaperScheme[] = [
  { name: 'RoCE', papers: 'IGBN Survey MS-Scale IRN LDCP', here: ['go-back-n'] },
  { name: 'go-back-0', papers: 'IGBN Survey MS-Scale', here: ['go-back-0'] },
  { name: 'go-back-N', papers: 'IGBN Survey MS-Scale IRN LDCP', here: ['go-back-n'] },
  { name: 'ST (Send Twice)', papers: 'IGBN', here: ['send-twice'] },
  { name: 'CE (Check EPSN)', papers: 'IGBN', here: ['check-epsn'] },
  { name: 'Improved Go-Back-N (ST+CE)', papers: 'IGBN', here: ['improved-gbn'] },
  { name: 'TCP AIMD with IRN', papers: 'IRN', here: ['aimd'] },
  { name: 'DCTCP', papers: 'IGBN Survey IRN LDCP', here: ['dctcp', 'dctcp-rate'] },
  { name: 'D2TCP', papers: 'Survey', here: ['d2tcp'] },
  { name: 'L2DCT', papers: 'Survey', here: ['l2dct'] },
  { name: 'DCQCN', papers: 'IGBN Survey MS-Scale IRN LDCP', here: ['dcqcn', 'dcqcn-connectx4', 'dcqcn-hpcc'] },
  { name: 'TIMELY', papers: 'IGBN Survey MS-Scale IRN LDCP', here: ['timely', 'patched-timely'] },
  { name: 'DX', papers: 'Survey', here: ['dx'] },
  { name: 'MELO', papers: 'IRN', here: [] },
  { name: 'TaTCP', papers: 'Survey', here: [] },
  { name: 'DCQCN+', papers: 'IGBN', here: [] },
  { name: 'adaptive-acceleration DCTCP', papers: 'IGBN Survey', here: [] },
  { name: 'DCMPTCP', papers: 'IGBN Survey', here: [] },
  { name: 'MPTCP', papers: 'Survey MS-Scale', here: [] },
  { name: 'TCP/IP', papers: 'Survey MS-Scale IRN LDCP', here: [] },
  { name: 'QUIC', papers: 'Survey', here: [] },
  { name: 'pFabric', papers: 'Survey IRN', here: [] },
  { name: 'QJUMP', papers: 'Survey', here: [] },
  { name: 'Homa', papers: 'Survey', here: [] },
  { name: 'FEC', papers: 'MS-Scale', here: [] },
  { name: 'ICTCP', papers: 'MS-Scale', here: [] },
  { name: 'DeTail', papers: 'MS-Scale', here: [] },
]
