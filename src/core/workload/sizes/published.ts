/**
 * Published flow-size distributions, as points of their cumulative distributions.
 * The numbers are facts measured elsewhere; they are in the form in which the HPCC traffic generator made them common.
 * Means (trapezoid): websearch 1,711,250 B; facebook-hadoop 120,421 B; alibaba-storage 40,870 B.
 */
import { fromCdf, type CdfPoint } from './cdf.ts'
import { defineSizes } from './sizes.ts'

const WEB_SEARCH: readonly CdfPoint[] = [
  [0, 0],
  [10_000, 15],
  [20_000, 20],
  [30_000, 30],
  [50_000, 40],
  [80_000, 53],
  [200_000, 60],
  [1_000_000, 70],
  [2_000_000, 80],
  [5_000_000, 90],
  [10_000_000, 97],
  [30_000_000, 100],
]

const FACEBOOK_HADOOP: readonly CdfPoint[] = [
  [0, 0],
  [100, 1],
  [200, 2],
  [300, 5],
  [350, 15],
  [400, 20],
  [500, 30],
  [600, 40],
  [700, 50],
  [1_000, 60],
  [2_000, 67],
  [7_000, 70],
  [30_000, 72],
  [50_000, 82],
  [80_000, 87],
  [120_000, 90],
  [300_000, 95],
  [1_000_000, 97.5],
  [2_000_000, 99],
  [10_000_000, 100],
]

const ALIBABA_STORAGE: readonly CdfPoint[] = [
  [0, 0],
  [4_000, 22.93],
  [8_000, 69.21],
  [16_000, 80.61],
  [32_000, 90.47],
  [64_000, 93.53],
  [128_000, 96.77],
  [256_000, 97.53],
  [2_000_000, 100],
]

export const webSearch = defineSizes({
  name: 'websearch',
  help: 'web search cluster; mean 1.7MB',
  source: 'DCTCP (SIGCOMM 2010), as used by HPCC',
  params: {},
  create: () => fromCdf(WEB_SEARCH),
})

export const facebookHadoop = defineSizes({
  name: 'facebook-hadoop',
  help: 'Hadoop cluster; mean 120KB',
  source: 'Roy et al. (SIGCOMM 2015), as used by HPCC',
  params: {},
  create: () => fromCdf(FACEBOOK_HADOOP),
})

export const alibabaStorage = defineSizes({
  name: 'alibaba-storage',
  help: 'storage cluster of 2019; mean 41KB',
  source: 'HPCC traffic generator, AliStorage2019',
  params: {},
  create: () => fromCdf(ALIBABA_STORAGE),
})
