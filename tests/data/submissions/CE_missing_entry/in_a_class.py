class Solution:
    def attend(self, x, w):
        pass
