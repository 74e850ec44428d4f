class RegularizedPCA: pass
