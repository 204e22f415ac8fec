// Made by scripts/confusables.mjs from the Unicode security data (UTS #39); do not edit.

/** Each ASCII character with the letters that look like it: code points as steps from one to the next, base 36. */
export const LOOK_ALIKES: readonly (readonly [string, string])[] = [
  ["!", "cj 8lq 15f4"],
  ["$", "2q6n"],
  ["&", "x2w"],
  ["'", "50 ed 2 1 1 1 a 2 1 15 3k g d2 3 3g q e9 1 2fp hu 1rl 2 1c e 1 q 1 2 n 3 qqf ha3 1l m4x 1"],
  ["(", "7s8 a 1pe 14iy e5"],
  [")", "7s9 a 1pe 14iy e6"],
  ["*", "19p 541 cp 18g8"],
  ["+", "4j1 27b 135 i5 1 1 1 1 16r9 193i"],
  [",", "54 11x 2m 52n q8v"],
  ["-", "k7 sd 4zg 1 1 1 1c cv 12 126 ib 1 i0 1 7 1 9r 14i7 mn"],
  [".", "19c 40 h 1 4yq q8k 7q jsy 13bx"],
  ["/", "4l1 1sc 3 cx nw gq ff 2 jy 1 fw 8g 4b 79 5m4 24mz"],
  ["2", "br k fh 3br sqt 4r 2z 1lzs 25a a a a a 73u"],
  ["3", "c7 2t e3 3l 20 w9 ao 6nn 14 8 o7y 1t mcf h2p iig 103 157 a a a a 73u"],
  ["4", "3wu 1fj5 zlx 25a a a a a 73u"],
  ["5", "cc 1j3z zlm 25a a a a a 73u"],
  ["6", "rw 1x 33x 4x0 1 9 1am1 zkx 25a a a a a 73u"],
  ["7", "1fiq 3xw zld 10b 14z a a a a 73u"],
  ["8", "f6 1 1jb 3k 49 1d07 13vi 25a a a a a 3bh 3sd"],
  ["9", "1yl 3e 75 ed 671 1 o83 mda w a zkz 25a a a a a 73u"],
  [":", "k0 14 i9 1m 8w 1 e7 ao 2g9 7r 6 1n5 d8 ptz i4 h47 6i 62n"],
  [";", "ou"],
  ["<", "jm 3g6 hm 1vr 1f9 2caw"],
  ["=", "3y8 2ts 1 6 2 1 4 1lc 88 iy gw mzj"],
  [">", "jn 3g0 2dj 1f9 1sr4 jjs"],
  ["?", "g1 2b 1d5 20h t31"],
  ["\\", "6qe 14n fc 4 zt k2 5lu ysy 5w 15n7 18"],
  ["^", "jo 2"],
  ["_", "1kq 1cnn 1 1"],
  [
    "a",
    "ct 1 2g 1 16 8w w a 2d w 4 31y ez 1ff be yk 4 pkk htf w nz lgg ihi 1ey q q q q q q q q q q q q q q q q q q q q q q q q q u q w q w q w q w q",
  ],
  [
    "b",
    "ao 2 1 1 5r 1y 6x 3j 1 q 6 o 2 m 1 15 1 30i 11 3i 1 8s 20 27p 28m nri kk h9q o0 v 2o l9x ild 1ey q q q q q 1g q q q q q q q q q q q q q q q q q q u 1m 1m 1m 1m",
  ],
  [
    "c",
    "4i 11 w 9h c6 7 14 w 2x 1 28p 2e p1 1t1 pp 2p 17 1s g 27b 1 nqt 1cl ghg w nz 2o 7n 14 67 3wt 9 zja 1ey q q q q q q q q q 1g 1g q q q q q q q q q q q q 5b6 15q",
  ],
  [
    "d",
    "5s 1s 1 3c 3 5m 1 iy 2vz 1z 3s a7 c 1ej py 4a 1 14 g pxw 1 1mh2 1ey q q q q q q q q q q q q q q q q q q q q q q q q q",
  ],
  [
    "e",
    "7u 1 8b 1 9a 3k w 2 m 7 2x 2 2y5 1uj px 3m 1 1 n c8 20q nnb 18i gkz w n5 4dc 8 zl8 1ey q q q q q 26 q q q q q q q q q q q q q q q q q u 1m 1m 1m 1m",
  ],
  [
    "f",
    "an i 1 ga bs 374 1iy 8f ic q0c gj 2w 1 po h8y u hs 3ul w zkp 114 du q q q q q 1g q q q q q q q q q q q q q q q q q q 8r",
  ],
  [
    "g",
    "b1 2f 1 1 1 e 2z 1 1 iy 39 2tb 1f 1w0 p3 q18 hv5 14lx 1ey q q q q q q 1g q q q q q q q q q q q q q q q q q",
  ],
  [
    "h",
    "86 1 8v 1i 6z 3q w u 1z p c 2 4n 2tn 7 1c ay 2a7 1 1 1 1 28o 13 nrt by hhv w p3 13wu 1ey q q 1g q 1g q q 1g 1g q q q q q q q q q q q q t 1m 1m 1m 1m",
  ],
  [
    "i",
    "8h 4e 1 48 1 1 35 4f 1r 4d 8c 2sj 1xy 1 g2 aj f 14 eb 5 1sr o1g 10u gk4 516 110f 1g 1g 1g 1g 1g 1g 1g 1g 1g 1g 1g 1g i 12 1m 1m 1m 1m",
  ],
  [
    "j",
    "g8 1 8m 38 l 28 30z 6a 1od u7 pzk k9 ha0 w 14lx 1ey q q q q q q q q q q q q q q q q q q q q q q q q q",
  ],
  [
    "k",
    "bd e9 w 2o w 2o 4 30o kv 186 pu 3h 27z 17 nr7 h5 hd7 165 13go 1ey q q q q q q q q q q q q q q q q q q q q q q q q q t 1m 1m 1m 1m",
  ],
  [
    "l",
    "4j 4e 1 2c 1 3 12 4r 2 1e 6y 31 56 f 6p l a 1y 2 1m i 3i 61 2dw 5o ev 21b 1 1 1 25 c g 4n d6 1p1 1q 3j nma h hfu 1 96 1 5 1 4b z 4c iq 3j n 6z 7f 3ul f 10o 7 fyh 30 i iie 3 g 115 da 3 q n 3 q n 3 q 1g n 3 q q q n 3 q n 3 q n 3 q n 3 q n 3 q n 3 q n 3 q r 1m 1m 1m 1m 1j a a a a 3bk 115 3k 2nl",
  ],
  [
    "m",
    "hd 8b 2m y w 41 2y2 ft 6e 187 2q mu 3y 1o g 26x nrb hu6 oz 2p 3xr df zjz 1ey q q q q q 1g q q q q q q q q q q q q q q q q q q t 1m 1m 1m 1m",
  ],
  [
    "n",
    "97 2a 1 5x 1 89 q 3l 7 8j 6 4 4qc px 29x nra hu6 gw p1 13gw 1ey q q q q q q q q q q q 1g q q q q q q q q q q q q t k 12 k 12 k 12 k 12 k",
  ],
  [
    "o",
    "60 w 2g 27 1e 1 18 3b 83 7 p 7 4 e s 7 16 w 1g 1 39 1 30 1c 2k 2u u 2h 3 k w a 5d bq 3k 3k 3k 1m 1y 3k s 2s s 2s s u 1y s 5q 3k 8w d z 47 14 cx 6m 19 s5 10v 2 tf 9u 7 5r 1t0 1 d 1 42 g j j7 n3g gn 1 s2 1 1i q 19 fsb 1 1 1 1 1 1 1 8c eo 1 1 1 1v w n7 p 9l 14 46 14 18 33u rp j f 9 zk ykk c 10q dw q q q q q q 1g q q q q q q q q q q q q q q q q q n 7 3 g 7 4 9 c 7 3 g 7 4 9 c 7 3 g 7 4 9 c 7 3 g 7 4 9 c 7 3 g 7 4 9 9 a a a a 4dq 1s w 1ow yk",
  ],
  [
    "p",
    "72 4n q de w 1c 7 14 w 336 3v 1pn 2t po gr 1ta 1 17 1 npe hun w n9 13yo 1ey q q q q q q q q q q q 1g q q q q q q q q q q q q v q e i q e i q e i q e i q e",
  ],
  ["q", "io hn 20 3 5h0 2ez 2a35 1ey q q q q q q q q q q q 1g q q q q q q q q q q q q"],
  [
    "r",
    "bq 4n 1b 1 3 c3 s 1w 2z2 1d c5 1i7 24 q1 1 1 294 nry 19g 1 1l hmb l1d iia 10v e3 q q q q q 1g q q 1g 1g q q q q q q q q q q q q",
  ],
  [
    "s",
    "cd 5h ar 28 6y 1jk 1bq 5 1wa qr2 gf vt gi1 w n7 ay 14 41l h2x ii6 1ey q q q q q q q q q q q q q q q q q q q q q q q q q",
  ],
  [
    "t",
    "9y 1 1y 1 30 10 9y w 2m w 2y 2ye 1vd 2i mx dy 59 vs y5 nqm huo o3 q 2s 49z h1q ijj 1ey q q q q q q q q q q q q q q q q q q q q q q q q q u 1m 1m 1m 1m 69x",
  ],
  [
    "u",
    "cz 1 34 1z 8h 9 3l p 6m 1c 2gz cs 3k 1qo 2q x8 49 ppt iz q7 4 22 hma 14 3wi w h2i ii0 1ey q q q q q q q q q q q q q q q q q q q q q q q q q 1k 1m 1m 1m 1m",
  ],
  [
    "v",
    "ql 53 1 9v 3z 40 2jm 2e 1rl uc g 50 49 22f nn2 e1 y2 gj1 g1 p2 3jd be w h1k ijn 10i eg q q q q q q q q q q q q q q q q q q q q q q q q q 1b 1m 1m 1m 1m 66q",
  ],
  [
    "w",
    "hb 9m 3j 1 o s 4f 1 1w 2tu x 1u5 p4 2dw nql hj te ksi g5 4 1 d3 9 zjx 1ey q q q q q q q q q q q q q q q q q q q q q q q q q",
  ],
  [
    "x",
    "5z k0 3i h f 31 39r 1o 6o 1 21 242 g sa qg 1 77 1 ho 4x nm6 js had w fy 6y 10 2r b ed 3wl zk1 1ey q q q q q q q q q q q q q q q q q q q q q q q q q t 1m 1m 1m 1m",
  ],
  [
    "y",
    "4l 7j 4a 1 k 18 7q e v 29 w 2z 1 1 1 2eu jm k 1xr ab fy 297 1 nr7 19q gkf w nt 4c2 1k h2f ii3 1ey q q q q q q q q q q q q q q q q q q q q q q q q q q 8 1e 8 1e 8 1e 8 1e 8",
  ],
  [
    "z",
    "c5 1 32 1 2z 7a 371 1un 2c q6 4 q0k 1br giv qj 4ac r x zka 1ey q q q q q q q q q 1g 1g q q q q q q q q q q q q a 1m 1m 1m 1m",
  ],
  ["{", "7sk 2c2o"],
  ["}", "7sl"],
  ["~", "kc 5pg 43 dl 8c 1du qc 1"],
];
