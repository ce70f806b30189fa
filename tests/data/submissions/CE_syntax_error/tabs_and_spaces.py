def attend(x, w):
	if 1:
        pass
