def attend(x, w):
	if x:
        return
